# SPDX-License-Identifier: Apache-2.0
"""What the rows about a Java host call: tools in a worker, and the same work done by hand.

    python java_host_tools.py SOCKET

serves the bare side: frames of a length and JSON, over the Unix socket at that path.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from dataclasses import dataclass
from typing import Any

from isonomy import tool


@dataclass
class Item:
    """One item of an order."""

    sku: str
    title: str
    quantity: int
    price: float


@tool
def total(customer: str, currency: str, items: list[Item]) -> dict[str, Any]:
    """Sum an order up."""
    return _total(customer, currency, [(item.quantity, item.price) for item in items])


@tool
def nap() -> str:
    """Sleep for 5 ms."""
    time.sleep(0.005)
    return "awake"


def _total(customer: str, currency: str, items: list[tuple[int, float]]) -> dict[str, Any]:
    return {
        "customer": customer,
        "currency": currency,
        "total": sum(quantity * price for quantity, price in items),
        "items": len(items),
    }


def _serve(path: str) -> None:
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connected.connect(path)
    buffer = bytearray(65_536)
    while True:
        count = connected.recv_into(buffer)
        if not count:
            return
        order = json.loads(bytes(memoryview(buffer)[4:count]))
        items = [(item["quantity"], item["price"]) for item in order["items"]]
        reply = json.dumps(_total(order["customer"], order["currency"], items)).encode()
        connected.sendall(struct.pack(">I", len(reply)) + reply)


if __name__ == "__main__":
    _serve(sys.argv[1])
