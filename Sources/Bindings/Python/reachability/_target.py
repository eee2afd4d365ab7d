# SPDX-License-Identifier: Apache-2.0
"""What can be asked about."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from ._library import Error, Options, free, library
from ._values import Details, Flags, check

if TYPE_CHECKING:
    from typing import Unpack


class RouteOptions(TypedDict, total=False):
    """Everything beside the destination on which the kernel's routing can depend, and who is asked for names."""

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


class TargetOptions(RouteOptions, total=False):
    """The same, and how long names are resolved."""

    timeout: float
    """The longest time for resolving a name, in seconds; by default five."""


def library_options(given: TargetOptions) -> Options:
    """The options as the library takes them."""
    unknown = given.keys() - TargetOptions.__optional_keys__
    if unknown:
        raise TypeError(f"unknown option: {', '.join(sorted(unknown))}")

    def text(value: object) -> bytes | None:
        return None if value is None else str(value).encode()

    def number(key: str, value: int | None) -> ctypes._Pointer[ctypes.c_uint] | None:
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
        ctypes.sizeof(Options), text(given.get("interface")), text(given.get("source")), number("mark", given.get("mark")),
        number("uid", given.get("uid")), text(given.get("netns")), names, milliseconds)


def take(text: ctypes.c_void_p) -> str:
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
        check(
            library.reachability_target_create(
                text.encode(), ctypes.byref(library_options(options)), ctypes.byref(made), ctypes.byref(error)), error)
        self._handle = made

    def flags(self) -> Flags:
        """Asks for the present flags. Resolves a name first unless its addresses are known."""
        error, flags = Error(), ctypes.c_uint()
        check(
            library.reachability_target_get_flags(self._handle, ctypes.byref(flags), ctypes.byref(error)), error)
        return Flags(flags.value)

    def explain(self) -> str:
        """Asks for the present flags with the reasons, as text of several lines."""
        error, text = Error(), ctypes.c_void_p()
        check(library.reachability_target_explain(self._handle, ctypes.byref(text), ctypes.byref(error)), error)
        return take(text)

    def details(self) -> Details:
        """The same as a dictionary, with the interface, the gateway, and a `code` for the reason that never changes."""
        error, text = Error(), ctypes.c_void_p()
        check(
            library.reachability_target_explain_json(self._handle, ctypes.byref(text), ctypes.byref(error)), error)
        answer: Details = json.loads(take(text))
        return answer

    def __repr__(self) -> str:
        return f"Target({self._text!r})"

    def __del__(self) -> None:
        if self._handle:
            library.reachability_target_free(self._handle)
