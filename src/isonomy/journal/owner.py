# SPDX-License-Identifier: Apache-2.0
"""Who owns a lease, and whether that is known to be dead (clause J3.4)."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")


def this_process() -> str:
    """Name this process and one claim in it: `BOOT/PID/START/N`.

    `BOOT` is empty where the system does not tell when it was started, or when the process was.
    """
    pid = os.getpid()
    boot, start = _boot(), _start(pid)
    if boot is None or start is None:
        boot, start = "", "0"
    return f"{boot}/{pid}/{start}/{secrets.token_hex(4)}"


def is_dead(owner: str) -> bool:
    """Whether an owner's process is known to have ended; false where nobody can know.

    >>> is_dead(this_process()), is_dead("elsewhere/1/1/aa"), is_dead("")
    (False, False, False)
    """
    parts = owner.rsplit("/", 3)
    if len(parts) != 4 or not parts[0] or parts[0] != _boot() or not parts[1].isdecimal():
        return False
    return _start(int(parts[1])) != parts[2]


def _boot() -> str | None:
    """Name the machine since its start, and the space in which process numbers count."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
        space = str((_PROC / "self/ns/pid").readlink())
    except OSError:
        return None
    return f"{boot}:{space.removeprefix('pid:').strip('[]')}"


def _start(pid: int) -> str | None:
    """Tell when a process started, in ticks since the start of the machine; None for a dead one."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    # The name of the program, in parentheses, may hold anything. A zombie runs nothing any more.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return None if fields[0] in (b"Z", b"X") else fields[19].decode()
