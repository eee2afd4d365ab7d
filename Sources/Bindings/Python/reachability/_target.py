# SPDX-License-Identifier: Apache-2.0
"""Targets: the hosts, addresses and paths that can be asked about."""

from __future__ import annotations

import ctypes
import difflib
import functools
import ipaddress
import json
import operator
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, TypedDict, Union, Unpack

from ._library import Options, library
from ._values import Answer, Details, Flags, Reason, call, milliseconds, text_from

_Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


class RouteOptions(TypedDict, total=False):
    """The options of a question. All are keyword arguments. An option that is left out, or None, has its default.

    interface: the interface or VRF device to which packets would be bound
    source: the address from which packets would be sent
    mark: the firewall mark of the packets
    uid: the user who would send the packets; by default the calling user
    netns: a name in `ip netns`, or a path; by default the namespace of the calling thread. To enter another namespace takes
        CAP_SYS_ADMIN. If the host is a name, the namespace is entered again whenever the name is resolved.
    servers: name servers such as "192.0.2.53" or "[2001:db8::53]:5353"; by default the system's
    name_timeout: the longest time for resolving a name, in seconds; by default five
    transport: the protocol of the packets, for rules of routing that name one; by default TCP
    port: the port to which packets would be sent, for rules that name ports
    family: the one family of addresses that counts, of a name's addresses and of default routes: 4 or 6
    """

    interface: str | None
    source: Union[str, _Address, None]
    mark: int | None
    uid: int | None
    netns: str | None
    servers: Sequence[Union[str, _Address]] | None
    name_timeout: float | None
    transport: Literal["tcp", "udp"] | None
    port: int | None
    family: Literal[4, 6] | None


class TargetOptions(RouteOptions, total=False):
    """The options of a question: those of RouteOptions, and two more.

    timeout: the old word for name_timeout
    policy: what a question about a name does: with "resolve", the default, it waits until the name is resolved; with "optimistic"
        it does not wait, and a name that is not known has the flags of the default path
    """

    timeout: float
    policy: Literal["resolve", "optimistic"]


def library_options(given: Mapping[str, Any]) -> Options:
    """Returns the options in the form that the library takes."""
    unknown = given.keys() - TargetOptions.__optional_keys__
    if unknown:
        like = difflib.get_close_matches(min(unknown), TargetOptions.__optional_keys__, 1)
        raise TypeError(
            f"unknown option: {', '.join(sorted(unknown))}" + "".join(f" (did you mean {word}?)" for word in like))

    def text(key: str, value: Any) -> bytes | None:
        if value is None:
            return None
        try:
            # A name of an interface or of a file may be bytes that are not UTF-8.
            encoded = os.fsencode(str(value) if isinstance(value, (ipaddress.IPv4Address, ipaddress.IPv6Address)) else value)
        except TypeError:
            raise TypeError(f"{key} must be a string, not {value!r}") from None
        if b"\0" in encoded:
            raise ValueError(f"{key} contains no NUL")
        return encoded

    def choice(key: str, *values: object) -> int:
        value = given.get(key)
        if value is not None and value not in values:
            raise ValueError(f"{key} must be one of {', '.join(map(repr, values))}, not {value!r}")
        return 0 if value is None else values.index(value)

    def number(key: str, least: int = 0, most: int = 0xFFFFFFFF) -> int | None:
        value = given.get(key)
        if value is None:
            return None
        problem = f"{key} must be a number from {least} to {most}, not {value!r}"
        try:
            index = operator.index(value)
        except TypeError:
            raise TypeError(problem) from None
        if not least <= index <= most:
            raise ValueError(problem)
        return index

    def pointer(value: int | None) -> ctypes._Pointer[ctypes.c_uint] | None:
        return None if value is None else ctypes.pointer(ctypes.c_uint(value))

    servers = given.get("servers")
    names = None
    if servers is not None:
        names = (ctypes.c_char_p * (len(servers) + 1))(*[text("servers", server) for server in servers], None)
    timeout = given.get("name_timeout")
    return Options(
        ctypes.sizeof(Options), text("interface", given.get("interface")), text("source", given.get("source")),
        pointer(number("mark")), pointer(number("uid")), text("netns", given.get("netns")), names,
        0 if timeout is None else max(1, milliseconds("name_timeout", timeout)), 0, choice("transport", "tcp", "udp"),
        number("port", 1, 65535) or 0, choice("family", None, 4, 6), choice("policy", "resolve", "optimistic"))


def check_wait(given: Mapping[str, Any]) -> None:
    """Raises if an option does not fit a wait."""
    if "policy" in given:
        raise TypeError("policy does not apply to a wait, which always resolves the name")


def _own_options(given: TargetOptions) -> TargetOptions:
    """Returns the options that a target keeps: under their present names, and without a list that the caller may change."""
    options = given.copy()
    if "timeout" in options:
        if "name_timeout" in options:
            raise TypeError("timeout is the old word for name_timeout; pass one of them")
        # The warning is about the program's line, however deep in this package it is noticed.
        level, frame = 1, sys._getframe()
        while frame.f_back and frame.f_globals.get("__package__") == __package__:
            level, frame = level + 1, frame.f_back
        warnings.warn("timeout means resolving here: write name_timeout", DeprecationWarning, stacklevel=level)
        options["name_timeout"] = options.pop("timeout")
    servers = options.get("servers")
    if isinstance(servers, str):
        raise TypeError(f"servers is a list of texts, not {servers!r}")
    if servers is not None:
        options["servers"] = tuple(servers)
    return options


class Target:
    """A host, with its options.

    The host is a name, an address as a string or of the module ipaddress, or a socket address. Target.default() makes a target
    for the default path, and Target.pair() one from a pair of addresses.

    Several threads may use one target at the same time. Two targets are equal if they were made from the same arguments with
    equal options. Use `with`, or close(), to release it early.
    """

    # Until it is made, and where that fails.
    _handle = ctypes.c_void_p()

    def __init__(self, host: Union[str, _Address, tuple[Any, ...]], **options: Unpack[TargetOptions]) -> None:
        self._make(library.reachability_target_create, (_text(host),), options)

    @classmethod
    def default(cls, **options: Unpack[TargetOptions]) -> Self:
        """Makes a target for the default path: the way from this machine to other networks, by IPv4 or IPv6."""
        target = cls.__new__(cls)
        target._make(library.reachability_target_create_default, (), options)
        return target

    @classmethod
    def pair(
            cls, local: Union[str, _Address, None], remote: Union[str, _Address, None], **options: Unpack[TargetOptions]
    ) -> Self:
        """Makes a target for packets from a local address to a remote one.

        If `local` is None, packets may come from any address; if `remote` is None, the local address itself is the target.
        """
        target = cls.__new__(cls)
        texts = tuple(None if address is None else _text(address) for address in (local, remote))
        target._make(library.reachability_target_create_pair, texts, options)
        return target

    def _make(self, create: Any, texts: tuple[str | None, ...], given: TargetOptions) -> None:
        self._texts = texts
        self._options = options = _own_options(given)
        if any("\0" in text for text in texts if text):
            raise ValueError("a target contains no NUL")
        made = ctypes.c_void_p()
        call(
            create, *(None if text is None else os.fsencode(text) for text in texts),
            ctypes.byref(library_options(options)), ctypes.byref(made))
        self._handle = made

    def _again(self, options: Mapping[str, Any]) -> tuple[Callable[..., Target], tuple[str | None, ...]]:
        """Returns a function that makes the same target with these options, and its arguments."""
        makers: list[Callable[..., Target]] = [type(self).default, type(self), type(self).pair]
        return functools.partial(makers[len(self._texts)], **options), self._texts

    @staticmethod
    def of(host: Host, options: Mapping[str, Any]) -> Target:
        """Returns the host if it is a target, and otherwise a target made from it."""
        if not isinstance(host, Target):
            return Target(host, **options)
        if options:
            raise TypeError("a Target has its options already; pass them when it is made")
        return host

    @property
    def text(self) -> str:
        """The text from which it was made; "default" for the default path, and "LOCAL,REMOTE" for a pair."""
        return ",".join(text or "" for text in self._texts) if self._texts else "default"

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("the target is closed")
        return self._handle

    def close(self) -> None:
        """Releases the target. A watcher to which it was added goes on."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            library.reachability_target_free(handle)

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and (self._texts, self._options) == (other._texts, other._options)

    def __hash__(self) -> int:
        return hash(self._texts)

    def __str__(self) -> str:
        return self.text

    def flags(self) -> Flags:
        """Returns the present flags. A name is resolved first, unless its addresses are known."""
        flags = ctypes.c_uint()
        call(library.reachability_target_get_flags, self._open(), ctypes.byref(flags), None)
        return Flags(flags.value)

    def answer(self) -> Answer:
        """Returns the present flags and the reason for them.

        If no name server answered, the flags are 0, and the reason is Reason.NO_ANSWER or Reason.NAME_SERVERS_FAILED.
        """
        flags, reason = ctypes.c_uint(), ctypes.c_int()
        call(library.reachability_target_get_flags, self._open(), ctypes.byref(flags), ctypes.byref(reason))
        return Answer(Flags(flags.value), Reason(reason.value))

    def explain(self) -> str:
        """Returns the present flags and how they came about, as text of several lines."""
        return text_from(library.reachability_target_explain, self._open())

    def details(self) -> Details:
        """Returns the same as a dictionary, with the interface, the gateway, and a `code` for the reason that never changes."""
        answer: Details = json.loads(text_from(library.reachability_target_explain_json, self._open()))
        return answer

    def __repr__(self) -> str:
        arguments = [*map(repr, self._texts), *(f"{key}={value!r}" for key, value in self._options.items())]
        return f"Target{['.default', '', '.pair'][len(self._texts)]}({', '.join(arguments)})"

    def __reduce__(self) -> tuple[Callable[..., Target], tuple[str | None, ...]]:
        return self._again(self._options)

    def __del__(self) -> None:
        self.close()


Host = Union[str, _Address, tuple[Any, ...], Target]
"""The types of arguments that stand for a host."""


def _text(host: object) -> str:
    """Returns a host in the form that the library takes."""
    if isinstance(host, tuple):
        name, *numbers = host or (None,)
        if not isinstance(name, str) or [isinstance(number, int) for number in numbers] not in ([True], [True] * 3):
            raise TypeError(
                "a socket address is (host, port) or (host, port, flow, interface), such as ('127.0.0.1', 80), "
                f"and not {host!r}")
        # The last part of an IPv6 socket's address is the interface of a link-local one.
        scope = numbers[2] if len(numbers) == 3 else 0
        return f"{name}%{scope}" if scope and "%" not in name else name
    if not isinstance(host, (str, ipaddress.IPv4Address, ipaddress.IPv6Address)):
        raise TypeError(f"a host is a text, an address, a socket address or a Target, and not {host!r}")
    return str(host)
