# SPDX-License-Identifier: Apache-2.0
"""The fate of a connection."""

from __future__ import annotations

import ctypes
import socket
from typing import Union

from ._library import SocketState as _SocketState, library
from ._values import SocketState, call


class SocketFate:
    """Whether a connection that the program holds is still worth anything.

    It is made of a connected TCP or UDP socket, or of its descriptor. That is only looked at: it is not kept open, and its error
    is not taken away. The program stops asking before it closes the socket.
    """

    def __init__(self, connection: Union[socket.socket, int]) -> None:
        self._handle = ctypes.c_void_p()
        descriptor = connection if isinstance(connection, int) else connection.fileno()
        made = ctypes.c_void_p()
        call(library.reachability_socket_create, descriptor, ctypes.byref(made))
        self._handle = made

    def state(self) -> SocketState:
        """The present state."""
        told = _SocketState(ctypes.sizeof(_SocketState))
        call(library.reachability_socket_get_state, self._handle, ctypes.byref(told))
        return SocketState._from(told)

    def __del__(self) -> None:
        library.reachability_socket_free(self._handle)
