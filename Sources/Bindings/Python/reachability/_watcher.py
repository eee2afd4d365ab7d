# SPDX-License-Identifier: Apache-2.0
"""Watching, on an event loop of the program."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NoReturn

from ._library import Callback, PathCallback, SocketCallback, library
from ._socket import SocketFate
from ._target import Host, Target, library_options
from ._values import Conditions, Flags, Obstacles, Path, SocketState, call


class Watcher:
    """Watches targets on an event loop of the program.

    `fileno` is readable when there is something to do, and `process` does it and makes the callbacks. A watcher belongs to
    one thread at a time. An exception in a callback is printed, as for other callbacks from C.
    """

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()
        self._callbacks: dict[int, object] = {}
        self._removed: list[object] = []
        self._is_running = False
        made = ctypes.c_void_p()
        call(library.reachability_watcher_create, ctypes.byref(made))
        self._handle = made

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("the watcher is closed")
        return self._handle

    def fileno(self) -> int:
        """The descriptor to poll for input."""
        return int(library.reachability_watcher_descriptor(self._open()))

    def _add(self, function: object, add: Callable[..., int], *what: object) -> int:
        identifier = ctypes.c_uint64()
        call(add, self._open(), *what, function, None, None, ctypes.byref(identifier))
        self._callbacks[identifier.value] = function
        return identifier.value

    def add(self, host: Host, callback: Callable[[Flags], object]) -> int:
        """Calls back with the present flags, and then with each change. Returns a number for `remove`.

        There is no call while the kernel refuses to answer about the target: its `flags` raises why.
        """
        target = Target.of(host, {})
        function = Callback(lambda flags, _: callback(Flags(flags)))
        return self._add(function, library.reachability_watcher_add, target._open())

    def add_path(self, callback: Callable[[Path], object], *, netns: str | None = None) -> int:
        """Calls back with the present path, and then with each change. Returns a number for `remove`."""
        last: Path | None = None

        def tell(told: Any, _: object) -> None:
            # The library tells of changes that a Path does not have, too, such as that of an address.
            nonlocal last
            path = Path._from(told.contents)
            if path != last:
                last = path
                callback(path)

        function = PathCallback(tell)
        options = library_options({"netns": netns})
        return self._add(function, library.reachability_watcher_add_path, ctypes.byref(options))

    def add_socket(self, fate: SocketFate, callback: Callable[[SocketState], object]) -> int:
        """Calls back with the present state of a connection, and then with each change. Returns a number for `remove`."""
        function = SocketCallback(lambda told, _: callback(SocketState._from(told.contents)))
        return self._add(function, library.reachability_watcher_add_socket, fate._open())

    def add_gate(
            self, host: Host, callback: Callable[[Obstacles], object], conditions: Conditions = Conditions()) -> int:
        """Calls back with what keeps a transfer from beginning, and then with each change. Returns a number for `remove`."""
        target = Target.of(host, {})
        given = ctypes.byref(conditions._for_library())
        function = Callback(lambda obstacles, _: callback(Obstacles(obstacles)))
        return self._add(function, library.reachability_watcher_add_gate, target._open(), given)

    def remove(self, identifier: int) -> bool:
        """Ends the callbacks for what was added. Returns False if that was removed before."""
        removed = library.reachability_watcher_remove(self._open(), identifier) == 0
        # Its callback may be running. It is released when `process` returns.
        self._removed.append(self._callbacks.pop(identifier, None))
        if not self._is_running:
            self._removed.clear()
        return removed

    def process(self) -> None:
        """Does all that is due, without waiting, and makes the callbacks.

        If the watcher no longer works, this raises why, again at each call, and the descriptor is not readable any more: it is
        that of the parent of a fork, or the system refuses to wait.
        """
        if self._is_running:
            return  # From a callback, which is what runs.
        self._is_running = True
        try:
            call(library.reachability_watcher_process, self._open())
        finally:
            self._is_running = False
            self._removed.clear()

    def recheck(self) -> None:
        """Has the next `process` look at everything again that is watched; the descriptor is readable until then."""
        library.reachability_watcher_recheck(self._open())

    def close(self) -> None:
        """Ends all callbacks, and closes the descriptor."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            library.reachability_watcher_free(handle)
        self._removed += self._callbacks.values()
        self._callbacks = {}
        if not self._is_running:
            self._removed.clear()

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Watcher cannot be copied: make another one")

    def __del__(self) -> None:
        self.close()
