# SPDX-License-Identifier: Apache-2.0
"""The fate of a connection."""

from __future__ import annotations

import ctypes
import socket
from typing import Union

from ._library import Error, SocketState as _SocketState, library
from ._values import SocketState, check


class SocketFate:
    """Whether a connection that the program holds is still worth anything.

    It is made of a connected TCP or UDP socket, or of its descriptor. That is only looked at: it is not kept open, and its error
    is not taken away. The program stops asking before it closes the socket.
    """

    def __init__(self, connection: Union[socket.socket, int]) -> None:
        self._handle = ctypes.c_void_p()
        descriptor = connection if isinstance(connection, int) else connection.fileno()
        error, made = Error(), ctypes.c_void_p()
        check(library.reachability_socket_create(descriptor, ctypes.byref(made), ctypes.byref(error)), error)
        self._handle = made

    def state(self) -> SocketState:
        """The present state."""
        error, told = Error(), _SocketState(ctypes.sizeof(_SocketState))
        check(library.reachability_socket_get_state(self._handle, ctypes.byref(told), ctypes.byref(error)), error)
        return SocketState._from(told)

    def __del__(self) -> None:
        library.reachability_socket_free(self._handle)
