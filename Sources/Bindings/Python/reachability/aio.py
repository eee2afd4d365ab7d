# SPDX-License-Identifier: Apache-2.0
"""Functions for asyncio programs. None of them blocks the running event loop, and no thread is started to watch.

    flags = await aio.flags("db.example")
    if await aio.wait("db.example", 30): ...
    async for flags in aio.watch("db.example"): ...
    async for path in aio.watch_path(): ...
    async for state in aio.watch_socket(SocketFate(connection)): ...
    if await aio.pass_gate("backup.example", Conditions(not_expensive=True), 3600): ...

Everything that is awaited on one event loop shares one watcher, whose descriptor is added to the loop. A consumer that does not
keep up skips old values and receives the newest one.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import weakref
from collections.abc import AsyncGenerator, Callable
from typing import ClassVar, TypeVar, Unpack

from ._socket import SocketFate
from ._target import Host, RouteOptions, Target, TargetOptions, check_wait
from ._values import Conditions, Flags, Obstacles, Path, ReachabilityError, SocketState, check_seconds
from ._watcher import Registration, Watcher

__all__ = ["flags", "pass_gate", "wait", "watch", "watch_gate", "watch_path", "watch_socket"]

_Value = TypeVar("_Value")


class _LoopWatcher:
    """The watcher of an event loop, for everything that is awaited on it. Only the loop refers to it, as its reader, so it is
    closed with its last use, or with the loop."""

    _of_loop: ClassVar[weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, weakref.ref[_LoopWatcher]]] = (
        weakref.WeakKeyDictionary())

    @classmethod
    def of(cls, loop: asyncio.AbstractEventLoop) -> _LoopWatcher:
        known = cls._of_loop.get(loop)
        return (known and known()) or cls(loop, Watcher())

    def __init__(self, loop: asyncio.AbstractEventLoop, watcher: Watcher) -> None:
        self.watcher = watcher
        self.users: list[Callable[[ReachabilityError], None]] = []
        self._loop = weakref.ref(loop)
        self._of_loop[loop] = weakref.ref(self)
        loop.add_reader(watcher, self.process)

    def process(self) -> None:
        try:
            self.watcher.process()
        except ReachabilityError as error:
            for user in self.users[:]:
                user(error)
                self.leave(user)

    def leave(self, user: Callable[[ReachabilityError], None]) -> None:
        if user in self.users:
            self.users.remove(user)
            if not self.users:
                self._end()

    def _end(self) -> None:
        if loop := self._loop():
            del self._of_loop[loop]
            loop.remove_reader(self.watcher)
        self.watcher.close()

    def __del__(self) -> None:
        self.watcher.close()


async def _newest(add: Callable[[Watcher, Callable[[_Value], None]], Registration]) -> AsyncGenerator[_Value, None]:
    newest: asyncio.Queue[_Value | ReachabilityError] = asyncio.Queue(1)

    def note(now: _Value | ReachabilityError) -> None:
        if newest.full():
            newest.get_nowait()
        newest.put_nowait(now)

    shared = _LoopWatcher.of(asyncio.get_running_loop())
    shared.users.append(note)
    keeper = weakref.ref(shared)
    try:
        with add(shared.watcher, note):
            # What is known at once is told at once, however short a limit is.
            shared.process()
            del shared
            while True:
                value = await newest.get()
                if isinstance(value, ReachabilityError):
                    raise value
                yield value
    finally:
        if last := keeper():
            last.leave(note)


async def _until(
        is_due: Callable[[_Value], bool], changes: AsyncGenerator[_Value, None], timeout: float | None) -> bool:
    if timeout is not None:
        check_seconds("timeout", timeout, -math.inf)
    async with contextlib.aclosing(changes):
        try:
            async with asyncio.timeout(timeout):
                async for value in changes:
                    if is_due(value):
                        break
        except TimeoutError:
            return False
    return True


def watch(host: Host, **options: Unpack[TargetOptions]) -> AsyncGenerator[Flags, None]:
    """Yields the present flags of a host, and then the new flags after each change."""
    target = Target.of(host, options)
    return _newest(lambda watcher, note: watcher.add(target, note))


def watch_path(*, netns: str | None = None) -> AsyncGenerator[Path, None]:
    """Yields the present path, and then the new path after each change."""
    return _newest(lambda watcher, note: watcher.add_path(note, netns=netns))


def watch_socket(fate: SocketFate) -> AsyncGenerator[SocketState, None]:
    """Yields the present state of a connection, and then the new state after each change."""
    return _newest(lambda watcher, note: watcher.add_socket(fate, note))


def watch_gate(
        host: Host, conditions: Conditions = Conditions(), **options: Unpack[TargetOptions]
) -> AsyncGenerator[Obstacles, None]:
    """Yields what keeps a transfer to a host from beginning, and then the new obstacles after each change; 0 if it may begin."""
    target = Target.of(host, options)
    return _newest(lambda watcher, note: watcher.add_gate(target, note, conditions))


async def pass_gate(
        host: Host, conditions: Conditions = Conditions(), timeout: float | None = None, **options: Unpack[RouteOptions]
) -> bool:
    """Waits until a transfer to a host may begin. Returns True then, and False if that takes longer than `timeout` seconds."""
    check_wait(options)
    return await _until(lambda obstacles: not obstacles, watch_gate(host, conditions, **options), timeout)


async def flags(host: Host, **options: Unpack[TargetOptions]) -> Flags:
    """Returns the present flags of a host. They are 0 if no name server answers in time."""
    target = Target.of(host, options)
    if target._options.get("policy") == "optimistic":
        return target.flags()  # This waits for nobody.
    limit = target._options.get("name_timeout")
    async with contextlib.aclosing(watch(target)) as changes:
        try:
            async with asyncio.timeout(5 if limit is None else limit):
                return await anext(changes)
        except TimeoutError:
            # If the kernel refuses to answer, this raises why. It waits for nobody.
            make, texts = target._again({**target._options, "policy": "optimistic"})
            make(*texts).flags()
            return Flags(0)


async def wait(host: Host, timeout: float | None = None, **options: Unpack[RouteOptions]) -> bool:
    """Waits until a host is reachable. Returns True then, and False if that takes longer than `timeout` seconds.

    A host is reachable when there is a route to it. Nothing is sent, and the port of `host` is ignored. A server may still refuse
    a connection, so connect in a loop.
    """
    check_wait(options)
    return await _until(lambda now: now.is_reachable, watch(host, **options), timeout)
