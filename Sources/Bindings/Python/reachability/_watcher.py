# SPDX-License-Identifier: Apache-2.0
"""Watching on an event loop of the program."""

from __future__ import annotations

import ctypes
import warnings
from collections import deque
from collections.abc import Callable, Generator
from typing import Any, NoReturn, Unpack

from ._library import Callback, PathCallback, SocketCallback, library
from ._socket import SocketFate
from ._target import Host, Target, TargetOptions, library_options
from ._values import Conditions, Flags, Obstacles, Path, SocketState, call


def _receiver(note: Callable[[Any], None], raised: list[BaseException]) -> Generator[None, Any, NoReturn]:
    """Passes each value that the library reports to `note`. This is a generator because of signals: Python raises the exception
    of a signal, such as KeyboardInterrupt, where Python code begins. In a function that is before its first `try`, and ctypes
    would only print the exception."""
    while True:
        try:
            note((yield))
        except GeneratorExit:
            raise
        except BaseException as error:
            raised.append(error)


class Registration:
    """An entry of a watcher. Use `with` to remove it at the end of the block."""

    def __init__(self, watcher: Watcher, identifier: int) -> None:
        self._watcher = watcher
        self._identifier = identifier

    def cancel(self) -> bool:
        """Removes the entry, which ends its callbacks. Returns False if it was removed before."""
        return self._watcher._remove(self._identifier)

    def __enter__(self) -> Registration:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()


class Watcher:
    """Watches targets, paths, connections and gates on an event loop of the program, without a thread.

    The descriptor of fileno() becomes readable when there is work to do. process() then does that work and makes the callbacks. A
    watcher belongs to one thread at a time. Close it, or use `with`.
    """

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()
        # By the number of what was added: what the library calls, and then the program's callback.
        self._functions: dict[int, object] = {}
        self._callbacks: dict[int, Callable[[Any], object]] = {}
        self._removed: list[object] = []
        # What the library has told, and what Python has raised meanwhile.
        self._due: deque[tuple[int, Any]] = deque()
        self._raised: list[BaseException] = []
        self._is_running = False
        made = ctypes.c_void_p()
        call(library.reachability_watcher_create, ctypes.byref(made))
        self._handle = made

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("the watcher is closed")
        return self._handle

    def fileno(self) -> int:
        """Returns the descriptor to poll for input. It stays the same. Do not read it or close it."""
        return int(library.reachability_watcher_descriptor(self._open()))

    def _add(
            self, kind: Callable[..., object], read: Callable[[Any], Any], callback: Callable[[Any], object],
            add: Callable[..., int], *what: object) -> Registration:
        if not callable(callback):
            raise TypeError(f"the callback must be callable, not {callback!r}")
        identifier, due = ctypes.c_uint64(), self._due
        receiver = _receiver(lambda told: due.append((identifier.value, read(told))), self._raised)
        next(receiver)
        function = kind(receiver.send)
        call(add, self._open(), *what, function, None, None, ctypes.byref(identifier))
        self._functions[identifier.value], self._callbacks[identifier.value] = function, callback
        return Registration(self, identifier.value)

    def add(self, host: Host, callback: Callable[[Flags], object], **options: Unpack[TargetOptions]) -> Registration:
        """Adds a host. The callback receives the present flags, and then the new flags after each change.

        For a name, the first call comes as soon as the name is resolved. While the kernel refuses to answer about the host, the
        callback is not called, and flags() raises the error.
        """
        target = Target.of(host, options)
        return self._add(Callback, Flags, callback, library.reachability_watcher_add, target._open())

    def add_path(self, callback: Callable[[Path], object], *, netns: str | None = None) -> Registration:
        """Adds the path. The callback receives the present path, and then the new path after each change."""
        last: Path | None = None

        def tell(path: Path) -> None:
            # The library tells of changes that a Path does not have, too, such as that of an address.
            nonlocal last
            if path != last:
                last = path
                callback(path)

        options = library_options({"netns": netns})
        return self._add(
            PathCallback, lambda told: Path._from(told.contents), tell, library.reachability_watcher_add_path,
            ctypes.byref(options))

    def add_socket(self, fate: SocketFate, callback: Callable[[SocketState], object]) -> Registration:
        """Adds a connection. The callback receives its present state, and then the new state after each change."""
        if not isinstance(fate, SocketFate):
            raise TypeError(f"pass a SocketFate, which is made of a socket, not {fate!r}")
        return self._add(
            SocketCallback, lambda told: SocketState._from(told.contents), callback,
            library.reachability_watcher_add_socket, fate._open())

    def add_gate(
            self, host: Host, callback: Callable[[Obstacles], object], conditions: Conditions = Conditions(),
            **options: Unpack[TargetOptions]) -> Registration:
        """Adds a gate. The callback receives what keeps a transfer from beginning, and then what does so after each change."""
        if not isinstance(conditions, Conditions):
            raise TypeError(f"pass Conditions, such as Conditions(not_expensive=True), not {conditions!r}")
        target = Target.of(host, options)
        given = ctypes.byref(conditions._for_library())
        return self._add(Callback, Obstacles, callback, library.reachability_watcher_add_gate, target._open(), given)

    def _remove(self, identifier: int) -> bool:
        if self._callbacks.pop(identifier, None) is None:
            return False
        library.reachability_watcher_remove(self._open(), identifier)
        # The library may be calling it: a finalizer, too, can be what removes it.
        self._removed.append(self._functions.pop(identifier))
        return True

    def process(self) -> None:
        """Does all the work that is due and makes the callbacks, without waiting.

        If a callback raises an exception, this raises it. The callbacks that are still due are made by the next call, for which
        the descriptor is readable.

        If the watcher no longer works, this raises a ReachabilityError, again at each call, and the descriptor is not readable
        any more. This happens in the child of a fork, for a watcher of the parent; if the system refuses to wait; and if the
        program has given up the privilege that it needs to resolve a watched name (netns, mark).
        """
        if self._is_running:
            return  # From a callback, which is what runs.
        self._is_running = True
        try:
            self._removed.clear()
            call(library.reachability_watcher_process, self._open())
            if self._raised:
                raise self._raised.pop(0)
            while self._due:
                identifier, value = self._due.popleft()
                if callback := self._callbacks.get(identifier):
                    callback(value)
        finally:
            self._is_running = False
            if self._due or self._raised:
                self.recheck()

    def recheck(self) -> None:
        """Makes the next process() query the kernel about everything that is watched. The descriptor is readable until then."""
        library.reachability_watcher_recheck(self._open())

    def close(self) -> None:
        """Ends all callbacks and closes the descriptor."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        if handle:
            library.reachability_watcher_free(handle)
        self._removed += self._functions.values()
        self._functions.clear()
        self._callbacks.clear()
        self._due.clear()
        self._raised.clear()

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Watcher cannot be copied: make another one")

    def __del__(self) -> None:
        is_open = bool(self._handle)
        self.close()
        if is_open:
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self)
