# SPDX-License-Identifier: Apache-2.0
"""The values that functions return, and the errors that they raise."""

from __future__ import annotations

import ctypes
import dataclasses
import enum
import os
from collections.abc import Callable
from typing import NamedTuple, Self, TypedDict

from ._library import Conditions as _Conditions, Error, Path as _Path, SocketState as _SocketState, free, library


def _formatted(value: int, format_spec: str) -> str:
    # f"{flags:x}" is for the number. Which of the two an enumeration gives has changed between versions of Python.
    return format(int(value) if format_spec and format_spec[-1] in "bcdeEfFgGnoxX%" else str(value), format_spec)


class Flags(enum.IntFlag):
    """The flags of a target: Apple's SCNetworkReachabilityFlags, bit for bit. reachability(3) explains each of them."""

    TRANSIENT_CONNECTION = 1 << 0
    REACHABLE = 1 << 1
    CONNECTION_REQUIRED = 1 << 2
    CONNECTION_ON_TRAFFIC = 1 << 3
    IS_LOCAL_ADDRESS = 1 << 16
    IS_DIRECT = 1 << 17
    IS_WWAN = 1 << 18

    @property
    def is_reachable(self) -> bool:
        """Whether the target is reachable without establishing a connection first, for instance by dialing."""
        return Flags.REACHABLE in self and Flags.CONNECTION_REQUIRED not in self

    def __str__(self) -> str:
        """The names that Apple uses, such as "Reachable,Local Address,Directly Reachable Address"."""
        text = ctypes.create_string_buffer(200)
        library.reachability_flags_to_text(int(self) & 0xFFFFFFFF, text, len(text))
        return text.value.decode()

    __format__ = _formatted


class _Number(enum.IntEnum):
    """A number that prints as its name, in every version of Python: what an IntEnum prints has changed."""

    __str__ = enum.Enum.__str__

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        # A library that is newer may have more.
        return cls["UNKNOWN"] if isinstance(value, int) else None

    __format__ = _formatted


class _Numbers(enum.IntFlag):
    """Prints as the names of its members. What an IntFlag gives has changed between versions of Python."""

    def __str__(self) -> str:
        return "|".join(member.name or "" for member in self) or "0"

    __format__ = _formatted


class Reason(_Number):
    """Why the flags of a target are as they are. reachability_target_create(3) explains each of the reasons.

    In lower case, the names are the values of `code` in the details.
    """

    OTHER = 0
    THIS_MACHINE = 1
    ON_LINK = 2
    GATEWAY = 3
    POINT_TO_POINT = 4
    CONNECTABLE = 5
    DORMANT_LINK = 6
    NO_ROUTE = 7
    UNREACHABLE_ROUTE = 8
    PROHIBITED = 9
    BLACKHOLE = 10
    FAMILY_UNSUPPORTED = 11
    NO_ROUTE_ON_INTERFACE = 12
    LEAVES_ELSEWHERE = 13
    INTERFACE_MISSING = 14
    INTERFACE_NOT_NAMED = 15
    NO_SOURCE_ADDRESS = 16
    LINK_DOWN = 17
    NO_CARRIER = 18
    LOWER_LAYER_DOWN = 19
    DEVICE_NOT_PRESENT = 20
    LINK_TESTING = 21
    LINK_GONE = 22
    NOT_OUR_ADDRESS = 23
    FAMILIES_DIFFER = 24
    NO_ADDRESS_OF_FAMILY = 25
    NO_SUCH_NAME = 26
    NO_ADDRESSES = 27
    IMPOSSIBLE_NAME = 28
    NO_NAME_SERVER_REACHABLE = 29
    NO_NAME_SERVER_CONFIGURED = 30
    NO_ANSWER = 31
    NAME_SERVERS_FAILED = 32

    @classmethod
    def _missing_(cls, value: object) -> Reason | None:
        return cls.OTHER if isinstance(value, int) else None


class Answer(NamedTuple):
    """The flags of a host and the reason for them."""

    flags: Flags
    reason: Reason


class ErrorCode(_Number):
    """Why a function failed: the error codes of reachability.h. reachability(3) explains each of them."""

    INVALID_TARGET = 1
    INVALID_OPTION = 2
    NO_SUCH_INTERFACE = 3
    KERNEL_UNAVAILABLE = 4
    CLOSED = 5
    UNSUPPORTED = 6
    OTHER = 7
    INVALID_SOCKET = 8

    @classmethod
    def _missing_(cls, value: object) -> ErrorCode | None:
        return cls.OTHER if isinstance(value, int) else None


class ReachabilityError(Exception):
    """A question could not be answered. "Not reachable" is an answer, not an error.

    `code` is an ErrorCode. `errno` is that of the system call that failed, or None. If there is one, the exception is a
    ReachabilitySystemError.
    """

    def __init__(self, code: int, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.code = ErrorCode(code)
        self.errno = errno

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Callable[..., ReachabilityError], tuple[int, str, int | None], dict[str, object]]:
        return type(self), (int(self.code), str(self), self.errno), vars(self)


class ReachabilitySystemError(ReachabilityError, OSError):  # type: ignore[misc] # OSError's errno is never None for mypy
    """A system call failed. The exception is also an OSError."""

    def __init__(self, code: int, message: str, errno: int) -> None:
        super().__init__(code, message, errno)
        self.strerror = os.strerror(errno)


def check_seconds(key: str, seconds: float, least: float = 0) -> None:
    """Raises an exception if a time is not valid."""
    try:
        is_time = seconds >= least
    except TypeError:
        raise TypeError(f"{key} must be a number of seconds, such as 2.5, not {seconds!r}") from None
    if not is_time:  # Or it is not a number (nan).
        raise ValueError(f"{key} must be a number of seconds from 0, such as 2.5, not {seconds!r}")


def milliseconds(key: str, seconds: float) -> int:
    """Converts a time to milliseconds. A time that is too long for the library becomes the longest that it takes."""
    check_seconds(key, seconds)
    return round(min(seconds * 1000, 0xFFFFFFFF))


def call(function: Callable[..., int], *arguments: object) -> None:
    """Calls a function of the library whose last parameter is the error, and raises that error."""
    error = Error()
    code = function(*arguments, ctypes.byref(error))
    if code != 0:
        message = error.message.decode(errors="replace")
        if error.system_error:
            raise ReachabilitySystemError(code, message, error.system_error)
        raise ReachabilityError(code, message)


def text_from(function: Callable[..., int], *arguments: object) -> str:
    """Returns the text that a function of the library creates."""
    text = ctypes.c_void_p()
    call(function, *arguments, ctypes.byref(text))
    try:
        return ctypes.string_at(text.value or 0).decode()
    finally:
        free(text)


class Details(TypedDict):
    """An answer as `reachability check --json` prints it. reachability(1) describes the keys. Later versions may add keys."""

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
    """An interface in PathDetails."""

    name: str
    index: int
    type: str
    tunnel: bool
    leads_out: bool
    addresses: list[str]
    gateways: list[str]
    code: str
    reason: str


class PathDetails(TypedDict):
    """The path as `reachability path --json` prints it, with its identity. reachability(1) describes the keys. Later versions may
    add keys."""

    status: str
    ipv4: bool
    ipv6: bool
    expensive: bool
    constrained: bool
    connectivity: str
    dns: list[str]
    interfaces: list[InterfaceDetails]
    code: str
    reason: str
    identity: int


class PathStatus(_Number):
    """Whether packets can leave this machine."""

    UNKNOWN = -1

    UNSATISFIED = 0
    SATISFIED = 1
    REQUIRES_CONNECTION = 2


class Connectivity(_Number):
    """What NetworkManager's last connectivity check found. reachability_path_get(3) explains each of the values."""

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
    is_constrained: bool
    """Whether packets leave by a network that NetworkManager considers metered."""
    connectivity: Connectivity
    interface: str | None
    identity: int
    """While this number stays the same, open connections are still worth using. Compare only numbers of the same process."""

    @staticmethod
    def _from(path: _Path) -> Path:
        return Path(
            PathStatus(path.status), bool(path.has_ipv4), bool(path.has_ipv6), bool(path.has_dns),
            bool(path.is_expensive), bool(path.is_constrained), Connectivity(path.connectivity),
            os.fsdecode(path.interface_name) or None, path.identity)


class Fate(_Number):
    """What has become of a connection: its packets can leave, they cannot leave at the moment, or it is over for good."""

    UNKNOWN = -1

    VIABLE = 0
    UNVIABLE = 1
    DEAD = 2


class FateReason(_Number):
    """Why a connection is unviable or dead. reachability_socket_create(3) explains each of the reasons."""

    UNKNOWN = -1

    NONE = 0
    SOURCE_GONE = 1
    NO_CARRIER = 2
    LINK_DOWN = 3
    NO_ROUTE = 4
    INTERFACE_GONE = 5
    CLOSED = 6
    FAILED = 7
    ENDED = 8


@dataclasses.dataclass(frozen=True)
class SocketState:
    """The state of a connection.

    `better_interface` is the interface by which a new connection to the same peer would leave, if it is a different one; else
    None.
    """

    fate: Fate
    reason: FateReason
    better_interface: str | None

    @staticmethod
    def _from(state: _SocketState) -> SocketState:
        return SocketState(
            Fate(state.fate), FateReason(state.reason), os.fsdecode(state.better_interface_name) or None)


class Kind(_Numbers):
    """Kinds of interfaces."""

    OTHER = 1 << 0
    WIFI = 1 << 1
    CELLULAR = 1 << 2
    WIRED = 1 << 3
    LOOPBACK = 1 << 4


class Obstacles(_Numbers):
    """What keeps a transfer from beginning; 0 if it may begin. reachability_watcher_create(3) explains each of the obstacles."""

    UNKNOWN = 1 << 0
    UNREACHABLE = 1 << 1
    INTERFACE = 1 << 2
    EXPENSIVE = 1 << 3
    CONSTRAINED = 1 << 4
    UNSTABLE = 1 << 5


@dataclasses.dataclass(frozen=True)
class Conditions:
    """What the network must be like before a transfer may begin."""

    not_expensive: bool = False
    """Packets must not leave by a mobile network, nor by a network that NetworkManager considers metered."""
    not_constrained: bool = False
    """Packets must not leave by a network that NetworkManager considers metered."""
    required_kind: Kind | None = None
    """The kind of interface by which packets must leave."""
    prohibited_kinds: Kind = Kind(0)
    """The kinds of interfaces by which packets must not leave."""
    stable: float = 0
    """How long, in seconds, all of these conditions must have held without interruption."""

    def __post_init__(self) -> None:
        for key in ("required_kind", "prohibited_kinds"):
            kinds = getattr(self, key)
            if kinds is not None and not isinstance(kinds, Kind):
                raise TypeError(f"{key} must be of reachability.Kind, such as Kind.WIFI, not {kinds!r}")
        if self.required_kind is not None and len(self.required_kind) != 1:
            raise ValueError(f"required_kind must be one kind, such as Kind.WIFI, not {self.required_kind}")

    def _for_library(self) -> _Conditions:
        return _Conditions(
            ctypes.sizeof(_Conditions), self.not_expensive, self.not_constrained, self.required_kind or 0, self.prohibited_kinds,
            milliseconds("stable", self.stable))
