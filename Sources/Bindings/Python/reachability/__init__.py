# SPDX-License-Identifier: Apache-2.0
"""Tells whether a host can be reached, by the kernel's own route lookup, and when that changes.

    >>> import reachability
    >>> reachability.flags("localhost")
    <Flags.REACHABLE|IS_LOCAL_ADDRESS|IS_DIRECT: 196610>

    >>> print(reachability.flags("localhost"))
    Reachable,Local Address,Directly Reachable Address

The library sends no packets except to resolve names. A host is a string, an address of the module ipaddress, a socket address
such as ("192.0.2.1", 443), whose port is ignored, or a Target. Functions raise ReachabilityError if a question cannot be
answered; "not reachable" is an answer.

These functions block while a name is resolved. In an asyncio program, use those of reachability.aio, which do not block:

    async for flags in reachability.aio.watch("db.example"):
        print(flags)
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import math
import select
import time
import warnings
from collections.abc import Sequence
from typing import Literal, Unpack

from . import aio
from ._library import Path as _Path, library
from ._socket import SocketFate
from ._target import Host, RouteOptions, Target, TargetOptions, check_wait as _check_wait, library_options as _options
from ._values import (
    Answer, Conditions, Connectivity, Details, ErrorCode, Fate, FateReason, Flags, InterfaceDetails, Kind, Obstacles, Path,
    PathDetails, PathStatus, ReachabilityError, ReachabilitySystemError, Reason, SocketState, call as _call,
    check_seconds as _check_seconds, text_from as _text_from)
from ._watcher import Registration, Watcher

__all__ = [
    "Answer", "Conditions", "Connectivity", "Details", "ErrorCode", "Fate", "FateReason", "Flags", "Host", "InterfaceDetails",
    "Kind", "Obstacles", "Path", "PathDetails", "PathStatus", "ReachabilityError", "ReachabilitySystemError", "Reason",
    "Registration", "RouteOptions", "SocketFate", "SocketState", "Target", "TargetOptions", "Watcher", "aio", "answer",
    "details", "explain", "flags", "path", "path_details", "version", "wait",
]

version: str = library.reachability_version().decode()
__version__ = version

# Tracebacks and help name what this package has as programs import it.
for _thing in (
        Answer, Conditions, Connectivity, Details, ErrorCode, Fate, FateReason, Flags, InterfaceDetails, Kind, Obstacles, Path,
        PathDetails, PathStatus, ReachabilityError, ReachabilitySystemError, Reason, Registration, RouteOptions, SocketFate,
        SocketState, Target, TargetOptions, Watcher):
    _thing.__module__ = __name__


def flags(host: Host, **options: Unpack[TargetOptions]) -> Flags:
    """Returns the present flags of a host.

    The options are keyword arguments such as `interface="eth0"` and `family=6`; help(reachability.RouteOptions) describes them.
    """
    return Target.of(host, options).flags()


def answer(host: Host, **options: Unpack[TargetOptions]) -> Answer:
    """Returns the present flags of a host and the reason for them. It takes the options of flags()."""
    return Target.of(host, options).answer()


def explain(host: Host, **options: Unpack[TargetOptions]) -> str:
    """Returns the present flags of a host and how they came about, as text. It takes the options of flags()."""
    return Target.of(host, options).explain()


def details(host: Host, **options: Unpack[TargetOptions]) -> Details:
    """Returns the present flags of a host and the reason for them, as a dictionary. It takes the options of flags()."""
    return Target.of(host, options).details()


def path(*, netns: str | None = None) -> Path:
    """Returns the present path: how packets leave this machine. Waits at most a quarter of a second for NetworkManager's hints.

    `netns` is a name in `ip netns`, or a path; by default it is the network namespace of the calling thread.
    """
    told = _Path(ctypes.sizeof(_Path))
    _call(library.reachability_path_get, ctypes.byref(_options({"netns": netns})), ctypes.byref(told))
    return Path._from(told)


def path_details(*, netns: str | None = None) -> PathDetails:
    """Returns the present path as a dictionary, with interfaces, addresses, gateways and name servers. Otherwise like path()."""
    text = _text_from(library.reachability_path_get_json, ctypes.byref(_options({"netns": netns})))
    answer: PathDetails = json.loads(text)
    return answer


def wait(host: Host, timeout: float | None = None, **options: Unpack[RouteOptions]) -> bool:
    """Waits until a host is reachable. Returns True then, and False if that takes longer than `timeout` seconds.

    A host is reachable when there is a route to it. Nothing is sent, and the port of `host` is ignored. A server may still refuse
    a connection, so connect in a loop.

    This blocks the thread. In an asyncio program, use `await reachability.aio.wait(...)`. It takes the options of flags(), except
    `policy`.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        warnings.warn(
            "wait() blocks the event loop; write: await reachability.aio.wait(...)", RuntimeWarning, stacklevel=2)
    _check_wait(options)
    if timeout is not None:
        _check_seconds("timeout", timeout, -math.inf)
    seen = Flags(0)

    def note(now: Flags) -> None:
        nonlocal seen
        seen = now

    end = None if timeout is None else time.monotonic() + timeout
    with Watcher() as watcher:
        watcher.add(Target.of(host, options), note)
        poll = select.poll()
        poll.register(watcher, select.POLLIN)
        while not seen.is_reachable:
            left = None if end is None else max(0, end - time.monotonic())
            # What is there is done before the time is over, and poll(2) takes no longer time than a month.
            if poll.poll(None if left is None else min(left * 1000, 2**31 - 1)):
                watcher.process()
            elif left == 0:
                return False
    return True
