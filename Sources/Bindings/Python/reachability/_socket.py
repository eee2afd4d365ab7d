# SPDX-License-Identifier: Apache-2.0
"""The fate of a connection."""

from __future__ import annotations

import asyncio
import ctypes
import socket
from typing import Any, NoReturn, Union

from ._library import SocketState as _SocketState, library
from ._values import SocketState, call


class SocketFate:
    """Whether a connection that the program holds is still worth anything.

    It is made of a connected TCP or UDP socket, of its descriptor, or of a transport or a writer of asyncio. That is only looked
    at: it is not kept open, and its error is not taken away. The program stops asking before it closes the socket. With `with`,
    what was read is released at the end.
    """

    def __init__(
            self, connection: Union[socket.socket, int, asyncio.BaseTransport, asyncio.StreamWriter]) -> None:
        self._handle = ctypes.c_void_p()
        inner: Any = connection
        if hasattr(inner, "get_extra_info"):  # Transports of other loops have it, too.
            inner = inner.get_extra_info("socket")
            if inner is None:
                raise ValueError("the transport has no socket")
        descriptor = inner if isinstance(inner, int) else inner.fileno()
        made = ctypes.c_void_p()
        call(library.reachability_socket_create, descriptor, ctypes.byref(made))
        self._handle = made

    def state(self) -> SocketState:
        """The present state."""
        told = _SocketState(ctypes.sizeof(_SocketState))
        call(library.reachability_socket_get_state, self._open(), ctypes.byref(told))
        return SocketState._from(told)

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("what was read of the socket is released")
        return self._handle

    def close(self) -> None:
        """Releases what was read. The socket stays, and a watcher to which this was added goes on."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            library.reachability_socket_free(handle)

    def __enter__(self) -> SocketFate:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SocketFate cannot be copied: make another one of the socket")

    def __del__(self) -> None:
        self.close()
