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
import dataclasses
import enum
import json
import select
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, TypedDict

from ._library import Callback, Error, Options, Path as _Path, PathCallback, free, library

if TYPE_CHECKING:
    from typing import Unpack

__all__ = [
    "Connectivity", "Details", "Flags", "InterfaceDetails", "Path", "PathDetails", "PathStatus", "ReachabilityError",
    "Target", "TargetOptions", "Watcher", "details", "explain", "flags", "path", "path_details", "version", "wait",
    "watch",
]

version: str = library.reachability_version().decode()


class Flags(enum.IntFlag):
    """What is known about the route to a target: Apple's SCNetworkReachabilityFlags, bit for bit."""

    TRANSIENT_CONNECTION = 1 << 0
    REACHABLE = 1 << 1
    CONNECTION_REQUIRED = 1 << 2
    CONNECTION_ON_TRAFFIC = 1 << 3
    IS_LOCAL_ADDRESS = 1 << 16
    IS_DIRECT = 1 << 17
    IS_WWAN = 1 << 18

    @property
    def is_reachable(self) -> bool:
        """Whether the target is reachable and no connection has to be made first."""
        return Flags.REACHABLE in self and Flags.CONNECTION_REQUIRED not in self


class ReachabilityError(Exception):
    """Why a question could not be answered. "Not reachable" is an answer, and never an error.

    `code` is a number of reachability.h. `errno` is the system's error number, or None.
    """

    def __init__(self, code: int, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.errno = errno


class TargetOptions(TypedDict, total=False):
    """Everything beside the destination on which the kernel's routing can depend, and how names are resolved."""

    interface: str
    """The interface or VRF device to which packets would be bound."""
    source: str
    """The address from which packets would be sent."""
    mark: int
    """The firewall mark of the packets."""
    uid: int
    """The user who would send the packets; by default the calling user."""
    netns: str
    """A name in `ip netns`, or a path; by default the namespace of the calling thread."""
    servers: Sequence[str]
    """Name servers such as "192.0.2.53" or "[2001:db8::53]:5353"; by default the system's."""
    timeout: float
    """The longest time for resolving a name, in seconds; by default five."""


class Details(TypedDict):
    """An answer as `reachability check --json` prints it; reachability(1) describes the keys. More may be added."""

    target: str
    flags: int
    names: list[str]
    reachable: bool
    interface: str | None
    gateway: str | None
    source: str | None
    addresses: list[str]
    answered_by: str
    code: str
    reason: str


class InterfaceDetails(TypedDict):
    """An interface of a path."""

    name: str
    index: int
    type: str
    tunnel: bool
    leads_out: bool
    addresses: list[str]
    gateways: list[str]


class PathDetails(TypedDict):
    """The path as `reachability path --json` prints it; reachability(1) describes the keys. More may be added."""

    status: str
    ipv4: bool
    ipv6: bool
    expensive: bool
    connectivity: str
    dns: list[str]
    interfaces: list[InterfaceDetails]


def _check(code: int, error: Error) -> None:
    if code != 0:
        raise ReachabilityError(code, error.message.decode(errors="replace"), error.system_error or None)


def _options(given: TargetOptions) -> Options:
    unknown = given.keys() - TargetOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"unknown option: {', '.join(sorted(unknown))}")

    def text(key: str) -> bytes | None:
        value = given.get(key)
        return None if value is None else str(value).encode()

    def number(key: str) -> ctypes._Pointer | None:
        value = given.get(key)
        if value is None:
            return None
        if not 0 <= int(value) < 1 << 32:
            raise ValueError(f"{key} must be a number from 0 to 4294967295, not {value}")
        return ctypes.pointer(ctypes.c_uint(int(value)))

    servers = given.get("servers")
    names = None
    if servers is not None:
        names = (ctypes.c_char_p * (len(servers) + 1))(*[server.encode() for server in servers], None)
    timeout = given.get("timeout")
    milliseconds = 0 if timeout is None else min(max(1, round(timeout * 1000)), 0xFFFFFFFF)
    return Options(
        ctypes.sizeof(Options), text("interface"), text("source"), number("mark"), number("uid"), text("netns"), names,
        milliseconds)


def _take(text: ctypes.c_void_p) -> str:
    """Copies a text of the library, and releases it."""
    try:
        return ctypes.string_at(text.value or 0).decode()
    finally:
        free(text)


class Target:
    """A host name, an address, a pair "LOCAL,REMOTE", or "default" for the default path.

    Threads may share it.
    """

    def __init__(self, text: str, **options: Unpack[TargetOptions]) -> None:
        self._handle = ctypes.c_void_p()
        self._text = text
        if "\0" in text:
            raise ValueError("a target contains no NUL")
        error = Error()
        made = ctypes.c_void_p()
        _check(
            library.reachability_target_create(
                text.encode(), ctypes.byref(_options(options)), ctypes.byref(made), ctypes.byref(error)), error)
        self._handle = made

    def flags(self) -> Flags:
        """Asks for the present flags. Resolves a name first unless its addresses are known."""
        error, flags = Error(), ctypes.c_uint()
        _check(
            library.reachability_target_get_flags(self._handle, ctypes.byref(flags), ctypes.byref(error)), error)
        return Flags(flags.value)

    def explain(self) -> str:
        """Asks for the present flags with the reasons, as text of several lines."""
        error, text = Error(), ctypes.c_void_p()
        _check(library.reachability_target_explain(self._handle, ctypes.byref(text), ctypes.byref(error)), error)
        return _take(text)

    def details(self) -> Details:
        """The same as a dictionary, with the interface, the gateway, and a `code` for the reason that never changes."""
        error, text = Error(), ctypes.c_void_p()
        _check(
            library.reachability_target_explain_json(self._handle, ctypes.byref(text), ctypes.byref(error)), error)
        return json.loads(_take(text))

    def __repr__(self) -> str:
        return f"Target({self._text!r})"

    def __del__(self) -> None:
        if self._handle:
            library.reachability_target_free(self._handle)


class Watcher:
    """Watches targets on an event loop of the program.

    `fileno` is readable when there is something to do, and `process` does it and makes the callbacks. A watcher belongs to
    one thread at a time. An exception in a callback is printed, as for other callbacks from C.
    """

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()
        self._callbacks: dict[int, object] = {}
        error, made = Error(), ctypes.c_void_p()
        _check(library.reachability_watcher_create(ctypes.byref(made), ctypes.byref(error)), error)
        self._handle = made

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("the watcher is closed")
        return self._handle

    def fileno(self) -> int:
        """The descriptor to poll for input."""
        return library.reachability_watcher_descriptor(self._open())

    def add(self, target: Target, callback: Callable[[Flags], object]) -> int:
        """Calls back with the present flags, and then with each change. Returns a number for `remove`."""
        function = Callback(lambda flags, _: callback(Flags(flags)))
        error, identifier = Error(), ctypes.c_ulong()
        _check(
            library.reachability_watcher_add(
                self._open(), target._handle, function, None, ctypes.byref(identifier), ctypes.byref(error)), error)
        self._callbacks[identifier.value] = function
        return identifier.value

    def add_path(self, callback: Callable[[Path], object], *, netns: str | None = None) -> int:
        """Calls back with the present path, and then with each change. Returns a number for `remove`."""
        function = PathCallback(lambda told, _: callback(Path._from(told.contents)))
        options = _options({} if netns is None else {"netns": netns})
        error, identifier = Error(), ctypes.c_ulong()
        _check(
            library.reachability_watcher_add_path(
                self._open(), ctypes.byref(options), function, None, ctypes.byref(identifier), ctypes.byref(error)),
            error)
        self._callbacks[identifier.value] = function
        return identifier.value

    def remove(self, identifier: int) -> bool:
        """Ends the callbacks for what was added. Returns False if that was removed before."""
        removed = bool(library.reachability_watcher_remove(self._open(), identifier))
        # Its callback may be running. It is released when that returns.
        self._callbacks.pop(identifier, None)
        return removed

    def process(self) -> None:
        """Does all that is due, without waiting, and makes the callbacks."""
        running = list(self._callbacks.values())
        library.reachability_watcher_process(self._open())
        del running

    def close(self) -> None:
        """Ends all callbacks, and closes the descriptor."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            library.reachability_watcher_free(handle)
        self._callbacks = {}

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class PathStatus(enum.IntEnum):
    """Whether packets can leave this machine."""

    UNSATISFIED = 0
    SATISFIED = 1
    REQUIRES_CONNECTION = 2


class Connectivity(enum.IntEnum):
    """What NetworkManager found when it last asked its web server."""

    UNKNOWN = 0
    NONE = 1
    PORTAL = 2
    LIMITED = 3
    FULL = 4


@dataclasses.dataclass(frozen=True)
class Path:
    """How packets leave this machine, by its default routes."""

    status: PathStatus
    has_ipv4: bool
    has_ipv6: bool
    has_dns: bool
    is_expensive: bool
    connectivity: Connectivity
    interface: str | None

    @staticmethod
    def _from(path: _Path) -> Path:
        return Path(
            PathStatus(path.status), bool(path.has_ipv4), bool(path.has_ipv6), bool(path.has_dns),
            bool(path.is_expensive), Connectivity(path.connectivity), path.interface_name.decode() or None)


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
    return json.loads(_take(text))


def wait(host: str, timeout: float | None = None, **options: Unpack[TargetOptions]) -> bool:
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
