# SPDX-License-Identifier: Apache-2.0
"""The fate of an open connection."""

from __future__ import annotations

import asyncio
import ctypes
import socket
from typing import Any, NoReturn, Union

from ._library import SocketState as _SocketState, library
from ._values import SocketState, call


class SocketFate:
    """Tells whether an open connection still works: whether its packets can leave this machine.

    It is made from a connected TCP or UDP socket, from the descriptor of one, or from a transport or a stream writer of asyncio.
    The socket stays the program's: this neither uses it nor keeps it open, and does not clear its pending error. Stop using this
    object, and remove it from watchers, before closing the socket. Use `with`, or close(), to release it.
    """

    def __init__(
            self, connection: Union[socket.socket, int, asyncio.BaseTransport, asyncio.StreamWriter]) -> None:
        self._handle = ctypes.c_void_p()
        inner: Any = connection
        if hasattr(inner, "get_extra_info"):  # Transports of other loops have it, too.
            inner = inner.get_extra_info("socket")
            if inner is None:
                raise ValueError("the transport has no socket")
        if hasattr(inner, "fileno"):
            inner = inner.fileno()
        if not isinstance(inner, int):
            raise TypeError(f"pass a socket, its descriptor, a transport or a StreamWriter, not {connection!r}")
        self._descriptor = inner
        made = ctypes.c_void_p()
        call(library.reachability_socket_create, self._descriptor, ctypes.byref(made))
        self._handle = made

    def state(self) -> SocketState:
        """Returns the present state of the connection, without waiting."""
        told = _SocketState(ctypes.sizeof(_SocketState))
        call(library.reachability_socket_get_state, self._open(), ctypes.byref(told))
        return SocketState._from(told)

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("the SocketFate is closed")
        return self._handle

    def close(self) -> None:
        """Releases this object. The socket stays open, and a watcher to which this was added goes on."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            library.reachability_socket_free(handle)

    def __enter__(self) -> SocketFate:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<SocketFate of descriptor {self._descriptor}{'' if self._handle else ', closed'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SocketFate cannot be copied: make another one of the socket")

    def __del__(self) -> None:
        self.close()
