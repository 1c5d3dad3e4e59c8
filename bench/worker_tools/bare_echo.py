# SPDX-License-Identifier: Apache-2.0
"""The bare side of rows about a Java host: `python bare_echo.py SOCKET`.

JSON back and forth over a Unix socket, and no more.
"""

from __future__ import annotations

import json
import socket
import struct
import sys

_PREFIX = 4


def _serve(path: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connected:
        connected.connect(path)
        buffer = bytearray(65_536)
        while count := connected.recv_into(buffer):
            reply = json.dumps(json.loads(bytes(memoryview(buffer)[_PREFIX:count]))).encode()
            connected.sendall(struct.pack(">I", len(reply)) + reply)


if __name__ == "__main__":
    _serve(sys.argv[1])
