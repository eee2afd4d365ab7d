# SPDX-License-Identifier: Apache-2.0
"""Whether a host can be reached, by the kernel's own route lookup, and how that changes.

    >>> import reachability
    >>> reachability.flags("localhost")
    <Flags.REACHABLE|IS_LOCAL_ADDRESS|IS_DIRECT: 196610>

No packet is sent, except to name servers. In an asyncio program:

    async for flags in reachability.watch("db.example"):
        print("reachable" if flags.is_reachable else "not reachable")
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import select
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from ._library import Error, Path as _Path, library
from ._target import RouteOptions, Target, TargetOptions, library_options as _options, take as _take
from ._values import (
    Connectivity, Details, Flags, InterfaceDetails, Path, PathDetails, PathStatus, ReachabilityError, check as _check)
from ._watcher import Watcher

if TYPE_CHECKING:
    from typing import Unpack

__all__ = [
    "Connectivity", "Details", "Flags", "InterfaceDetails", "Path", "PathDetails", "PathStatus", "ReachabilityError",
    "RouteOptions", "Target", "TargetOptions", "Watcher", "details", "explain", "flags", "path", "path_details", "version",
    "wait", "watch",
]

version: str = library.reachability_version().decode()

# Tracebacks and help name what this package has as programs import it.
for _thing in (
        Connectivity, Details, Flags, InterfaceDetails, Path, PathDetails, PathStatus, ReachabilityError, RouteOptions,
        Target, TargetOptions, Watcher):
    _thing.__module__ = __name__


def flags(host: str, **options: Unpack[TargetOptions]) -> Flags:
    """Asks once for the present flags of a host."""
    return Target(host, **options).flags()


def explain(host: str, **options: Unpack[TargetOptions]) -> str:
    """Asks once for the present flags of a host, with the reasons."""
    return Target(host, **options).explain()


def details(host: str, **options: Unpack[TargetOptions]) -> Details:
    """The same as a dictionary."""
    return Target(host, **options).details()


def path(*, netns: str | None = None) -> Path:
    """The present path. Waits for NetworkManager's hints for a quarter of a second at the longest."""
    error, told = Error(), _Path(ctypes.sizeof(_Path))
    options = _options({} if netns is None else {"netns": netns})
    _check(library.reachability_path_get(ctypes.byref(options), ctypes.byref(told), ctypes.byref(error)), error)
    return Path._from(told)


def path_details(*, netns: str | None = None) -> PathDetails:
    """The present path as a dictionary, with interfaces, addresses, gateways and name servers."""
    error, text = Error(), ctypes.c_void_p()
    options = _options({} if netns is None else {"netns": netns})
    _check(
        library.reachability_path_get_json(ctypes.byref(options), ctypes.byref(text), ctypes.byref(error)), error)
    answer: PathDetails = json.loads(_take(text))
    return answer


def wait(host: str, timeout: float | None = None, **options: Unpack[RouteOptions]) -> bool:
    """Waits until a host is reachable. Returns False if that takes longer than `timeout` seconds.

    `timeout` limits the wait, and not the resolution of a name; pass a Target to `Watcher` for other limits.
    """
    seen = Flags(0)

    def note(now: Flags) -> None:
        nonlocal seen
        seen = now

    end = None if timeout is None else time.monotonic() + timeout
    with Watcher() as watcher:
        watcher.add(Target(host, **options), note)
        poll = select.poll()
        poll.register(watcher, select.POLLIN)
        while not seen.is_reachable:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return False
            if poll.poll(None if left is None else left * 1000):
                watcher.process()
    return True


async def watch(host: str, **options: Unpack[TargetOptions]) -> AsyncIterator[Flags]:
    """The flags of a host as they change, beginning with the present ones. A slow consumer gets the newest."""
    newest: asyncio.Queue[Flags] = asyncio.Queue(1)

    def note(now: Flags) -> None:
        if newest.full():
            newest.get_nowait()
        newest.put_nowait(now)

    loop = asyncio.get_running_loop()
    with Watcher() as watcher:
        watcher.add(Target(host, **options), note)
        descriptor = watcher.fileno()
        loop.add_reader(descriptor, watcher.process)
        try:
            while True:
                yield await newest.get()
        finally:
            loop.remove_reader(descriptor)
