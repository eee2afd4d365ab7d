# SPDX-License-Identifier: Apache-2.0
"""The values that questions are answered with, and the error."""

from __future__ import annotations

import dataclasses
import enum
from typing import TypedDict

from ._library import Error, Path as _Path


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

    def __str__(self) -> str:
        """In words, such as "reachable,local,direct"."""
        words = [word for flag, word in _WORDS.items() if flag in self]
        rest = int(self) & ~sum(_WORDS)
        return ",".join(words + ([hex(rest)] if rest else [])) or "not reachable"

    def __format__(self, spec: str) -> str:
        # f"{flags:x}" is for the number. Which of the two an enumeration gives has changed between versions of Python.
        return format(int(self) if spec[-1:] in {*"bcdeEfFgGnoxX%"} and spec else str(self), spec)


_WORDS = {
    Flags.REACHABLE: "reachable", Flags.TRANSIENT_CONNECTION: "transient", Flags.CONNECTION_REQUIRED: "connection required",
    Flags.CONNECTION_ON_TRAFFIC: "connection on traffic", Flags.IS_LOCAL_ADDRESS: "local", Flags.IS_DIRECT: "direct",
    Flags.IS_WWAN: "mobile",
}


class _Number(enum.IntEnum):
    """Prints as its name. What an IntEnum gives has changed between versions of Python."""

    __str__ = enum.Enum.__str__

    def __format__(self, spec: str) -> str:
        return format(int(self) if spec else str(self), spec)


class ErrorCode(_Number):
    """Why a question could not be answered: the numbers of reachability.h."""

    INVALID_TARGET = 1
    INVALID_OPTION = 2
    NO_SUCH_INTERFACE = 3
    KERNEL_UNAVAILABLE = 4
    CLOSED = 5
    UNSUPPORTED = 6
    OTHER = 7

    @classmethod
    def _missing_(cls, value: object) -> ErrorCode:
        # A library that is newer may have more.
        return cls.OTHER


class ReachabilityError(Exception):
    """Why a question could not be answered. "Not reachable" is an answer, and never an error.

    `code` is an ErrorCode. `errno` is the system's error number, or None.
    """

    def __init__(self, code: int, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.code = ErrorCode(code)
        self.errno = errno


def check(code: int, error: Error) -> None:
    """Raises the error that the library has told, if it has told one."""
    if code != 0:
        raise ReachabilityError(code, error.message.decode(errors="replace"), error.system_error or None)


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
    code: str
    reason: str


class PathDetails(TypedDict):
    """The path as `reachability path --json` prints it; reachability(1) describes the keys. More may be added."""

    status: str
    ipv4: bool
    ipv6: bool
    expensive: bool
    connectivity: str
    dns: list[str]
    interfaces: list[InterfaceDetails]
    code: str
    reason: str


class PathStatus(_Number):
    """Whether packets can leave this machine."""

    UNSATISFIED = 0
    SATISFIED = 1
    REQUIRES_CONNECTION = 2


class Connectivity(_Number):
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
