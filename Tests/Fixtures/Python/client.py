# SPDX-License-Identifier: Apache-2.0
"""Uses the package rightly and wrongly, and prints "ok". Changes the routes of its network namespace, which has the
interface eth0 with 10.0.0.1/24."""

import asyncio
import contextlib
import copy
import ctypes
import errno
import gc
import inspect
import ipaddress
import math
import os
import pickle
import select
import socket
import subprocess
import sys
import threading
import typing
import warnings
import weakref

import reachability
from reachability import (
    Conditions, Connectivity, ErrorCode, Fate, FateReason, Flags, Kind, Obstacles, PathStatus, ReachabilityError, Reason,
    ReachabilitySystemError, SocketFate, SocketState, Target, Watcher, aio)
from reachability._library import Callback, PathCallback, library

# What Python cannot raise, such as a warning of an object that is released, which is an error here.
unraised: list = []
sys.unraisablehook = lambda unraisable: unraised.append(str(unraisable.exc_value))


def ip(command: str) -> None:
    subprocess.run(["ip", *command.split()], check=True)


def refused(kind: type[Exception], words: str, body) -> Exception:
    try:
        body()
    except kind as error:
        assert words in str(error), error
        return error
    raise AssertionError(f"not refused: {words}")


def check_questions() -> None:
    direct = Flags.REACHABLE | Flags.IS_DIRECT
    assert reachability.flags("10.0.0.7") == direct
    assert reachability.flags("10.0.0.7", interface="eth0", mark=7, uid=0, source="10.0.0.1") == direct
    assert reachability.flags("localhost", name_timeout=2.5).is_reachable
    assert not reachability.flags("192.0.2.1").is_reachable
    assert "eth0" in reachability.explain("10.0.0.7")
    assert repr(Target("10.0.0.7")) == "Target('10.0.0.7')"
    assert reachability.path().status == PathStatus.UNSATISFIED
    assert reachability.path().connectivity == Connectivity.UNKNOWN
    assert reachability.version[0].isdigit() and reachability.__version__ == reachability.version
    for host in [ipaddress.ip_address("10.0.0.7"), ("10.0.0.7", 80), Target("10.0.0.7")]:
        assert reachability.flags(host) == direct and reachability.details(host)["target"] == "10.0.0.7"
    assert Target(("fe80::1", 80, 0, 2)).text == "fe80::1%2" and Target(ipaddress.ip_address("::1")).text == "::1"


def check_impossible_names() -> None:
    for host, words in [("300.1.1.1", "no IPv4 address"), ("db.example.7", "no IPv4 address"), ("x:80", "port")]:
        error = refused(ReachabilityError, words, lambda: reachability.flags(host))
        assert error.code == ErrorCode.INVALID_TARGET, error


def check_words() -> None:
    flags = Flags.REACHABLE | Flags.IS_LOCAL_ADDRESS | Flags.IS_DIRECT
    assert str(flags) == f"{flags}" == "Reachable,Local Address,Directly Reachable Address"
    assert f"{flags:>51}" == f" {flags}"
    assert f"{flags:d} {flags:x}" == "196610 30002" and int(flags) == 196610
    assert str(Flags(0)) == "Not Reachable" and str(Flags(1 << 30 | 2)) == "Reachable,0x40000000"
    assert str(~Flags(0)).startswith("Reachable,")


def check_target() -> None:
    with Target("10.0.0.7", mark=7) as target:
        assert target == Target("10.0.0.7", mark=7) != Target("10.0.0.7") and hash(target) == hash(Target("10.0.0.7"))
        assert str(target) == target.text == "10.0.0.7" and target != "10.0.0.7"
    servers = ["192.0.2.53"]
    target = Target("a.test", servers=servers)
    servers.append("192.0.2.54")
    assert target == copy.copy(target) == Target("a.test", servers=("192.0.2.53",)) != Target("a.test", servers=servers)
    target.close()
    refused(ValueError, "closed", target.flags)
    refused(TypeError, "options", lambda: reachability.flags(Target("::1"), mark=7))
    refused(TypeError, "a host is", lambda: reachability.flags(7))


def check_details() -> None:
    details = reachability.details("10.0.0.7")
    assert details.keys() == reachability.Details.__annotations__.keys()
    assert details["target"] == "10.0.0.7" and details["flags"] == Flags.REACHABLE | Flags.IS_DIRECT
    assert details["reachable"] is True and details["interface"] == "eth0" and details["gateway"] is None
    assert reachability.details("192.0.2.1")["code"] == "no_route"
    assert reachability.answer("192.0.2.1") == (Flags(0), Reason.NO_ROUTE)
    flags, reason = reachability.answer("10.0.0.7")
    assert flags == Flags.REACHABLE | Flags.IS_DIRECT and reason is Reason.ON_LINK
    with socket.socket(type=socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        server = "127.0.0.1:%d" % silent.getsockname()[1]
        assert reachability.answer("db.test", servers=[server], name_timeout=0.05) == (Flags(0), Reason.NO_ANSWER)
    path = reachability.path_details()
    assert path.keys() == reachability.PathDetails.__annotations__.keys()
    assert path["status"] == "unsatisfied" and not any(link["leads_out"] for link in path["interfaces"])
    refused(ReachabilityError, "no-such", lambda: reachability.path_details(netns="no-such"))


def check_refusals() -> None:
    assert refused(ReachabilityError, "empty", lambda: Target("")).code is ErrorCode.INVALID_TARGET
    error = refused(ReachabilityError, "nothing:0", lambda: Target("::1", interface="nothing:0"))
    assert error.code is ErrorCode.NO_SUCH_INTERFACE and error.code == 3
    assert str(error.code) == f"{error.code}" == "ErrorCode.NO_SUCH_INTERFACE" and f"{error.code:d}" == "3"
    refused(ReachabilityError, 'without brackets here: "::1"', lambda: Target("[::1]"))
    refused(ReachabilityError, 'without brackets here: "::1"', lambda: reachability.flags("::1]"))
    refused(ReachabilityError, "without brackets here: ::1", lambda: Target("::1", source="[::1]"))
    refused(ReachabilityError, "write [::1]:53", lambda: Target("a.test", servers=["::1:53"]))
    for address in [("127.0.0.1", "x"), ("127.0.0.1",), ("::1", 80, 0), (), (b"::1", 80)]:
        refused(TypeError, "a socket address is (host, port)", lambda: reachability.flags(address))
    refused(ReachabilityError, "this would be 10.0.0.1", lambda: Target("::1", source="10.1"))
    refused(ReachabilityError, "this would be 1.2.0.3", lambda: Target("a.test", servers=["1.2.3"]))
    refused(ReachabilityError, "nonsense", lambda: Target("a.test", servers=["nonsense"]))
    refused(ReachabilityError, "no-such", lambda: reachability.path(netns="no-such"))
    refused(TypeError, "colour", lambda: Target("::1", colour="red"))
    refused(TypeError, "did you mean family?", lambda: Target("::1", families=6))
    refused(TypeError, "interface must be a string", lambda: Target("::1", interface=2))
    refused(ValueError, "mark", lambda: Target("::1", mark=-1))
    refused(ValueError, "NUL", lambda: Target("a\0b"))
    for key in ["interface", "source", "netns"]:
        refused(ValueError, f"{key} contains no NUL", lambda: Target("::1", **{key: "a\0b"}))
    refused(ValueError, "servers contains no NUL", lambda: Target("a.test", servers=["127.0.0.1\0"]))
    refused(ValueError, "'udp'", lambda: Target("::1", transport="sctp"))
    refused(ValueError, "port", lambda: Target("::1", port=0))
    refused(ValueError, "4, 6", lambda: Target("::1", family=5))
    for key in ["port", "mark", "uid"]:
        refused(TypeError, f"{key} must be a number from", lambda: Target("::1", **{key: "80"}))
    for wrong, kind in [("x", TypeError), (math.nan, ValueError), (-1, ValueError)]:
        refused(
            kind, "name_timeout must be a number of seconds", lambda: reachability.flags("localhost", name_timeout=wrong))
        refused(kind, "name_timeout must be", lambda: asyncio.run(aio.flags("localhost", name_timeout=wrong)))
        with Watcher() as watcher:
            refused(kind, "stable must be", lambda: watcher.add_gate("::1", print, Conditions(stable=wrong)))
        if wrong != -1:
            refused(kind, "timeout must be", lambda: reachability.wait("192.0.2.1", wrong))
            refused(kind, "timeout must be", lambda: asyncio.run(aio.wait("192.0.2.1", wrong)))
    assert not reachability.wait("192.0.2.1", -1) and not asyncio.run(aio.wait("192.0.2.1", -1))
    refused(TypeError, "servers is a list", lambda: Target("a.test", servers="127.0.0.1"))
    refused(ValueError, "'optimistic'", lambda: Target("::1", policy="hopeful"))
    refused(TypeError, "policy does not apply", lambda: reachability.wait("::1", policy="optimistic"))
    refused(ValueError, "no_route", lambda: Reason("no_route"))


class OwnTarget(Target):
    pass


def check_copies() -> None:
    # What is released twice would end the interpreter.
    target = Target("10.0.0.7", mark=7)
    for target in [target, Target.default(mark=7), Target.pair("10.0.0.1", None), Target.pair(None, "10.0.0.7")]:
        for twin in [copy.copy(target), copy.deepcopy(target), pickle.loads(pickle.dumps(target))]:
            assert twin == target and twin.flags() == target.flags() and repr(twin) == repr(target)
            del twin
            gc.collect()
    with socket.socket(type=socket.SOCK_DGRAM) as connection, Watcher() as watcher:
        connection.connect(("10.0.0.7", 9))
        with SocketFate(connection) as fate:
            for thing in [watcher, fate]:
                for duplicate in [copy.copy, copy.deepcopy, pickle.dumps]:
                    refused(TypeError, "cannot be copied", lambda: duplicate(thing))
        refused(ValueError, "closed", fate.state)
        refused(ValueError, "closed", lambda: watcher.add_socket(fate, print))
        refused(TypeError, "SocketFate", lambda: watcher.add_socket(connection, print))
        refused(TypeError, "callable", lambda: watcher.add("127.0.0.1", "print"))
        refused(TypeError, "Conditions", lambda: watcher.add_gate("127.0.0.1", print, 30))
    assert not hasattr(target, "no-such") and target.flags()
    # A program's own class stays what it is.
    for duplicate in [copy.copy, lambda one: pickle.loads(pickle.dumps(one))]:
        assert type(duplicate(OwnTarget("::1"))) is type(duplicate(OwnTarget.default())) is OwnTarget


def check_errors() -> None:
    plain = refused(ReachabilityError, "empty", lambda: Target(""))
    assert not isinstance(plain, OSError) and plain.errno is None
    system = ReachabilitySystemError(ErrorCode.KERNEL_UNAVAILABLE, "the words", errno.EMFILE)
    assert isinstance(system, OSError) and system.errno == errno.EMFILE and str(system) == "the words"
    assert system.strerror == os.strerror(errno.EMFILE)
    for error in [plain, system]:
        error.add_note("of the program")
        for twin in [pickle.loads(pickle.dumps(error)), copy.copy(error)]:
            assert type(twin) is type(error) and str(twin) == str(error)
            assert (twin.code, twin.errno, twin.__notes__) == (error.code, error.errno, ["of the program"])


def check_newer_library() -> None:
    assert PathStatus(77) is PathStatus.UNKNOWN and Fate(77) is Fate.UNKNOWN and FateReason(77) is FateReason.UNKNOWN
    assert Connectivity(77) is Connectivity.UNKNOWN and ErrorCode(77) is ErrorCode.OTHER and Reason(77) is Reason.OTHER
    assert Obstacles(1 << 20 | 1) & Obstacles.UNKNOWN and Kind(1 << 20)


def check_types() -> None:
    public = [getattr(module, name) for module in [reachability, aio] for name in module.__all__]
    # Functions first: hints of a class are remembered, also where a function could not find what they name.
    for kind in [inspect.isfunction, inspect.isclass]:
        for thing in filter(kind, public):
            typing.get_type_hints(thing)
            for _, method in inspect.getmembers(thing, inspect.isfunction):
                if method.__module__.startswith("reachability"):
                    typing.get_type_hints(method)


def check_options() -> None:
    ip("route add default via 10.0.0.254")
    ip("rule add ipproto udp dport 9 prohibit")
    assert not reachability.flags("192.0.2.1", transport="udp", port=9)
    assert reachability.flags("192.0.2.1", transport="tcp", port=9) == Flags.REACHABLE
    ip("rule del ipproto udp dport 9 prohibit")
    assert Target.default(family=4).flags() == Flags.REACHABLE and not Target.default(family=6).flags()
    nobody = ["127.0.0.1:9"]
    assert reachability.flags("db.test", servers=nobody, policy="optimistic") == Flags.REACHABLE
    assert asyncio.run(aio.flags("db.test", servers=nobody, policy="optimistic", name_timeout=3600)) == Flags.REACHABLE
    ip("route del default")
    # A time without an end.
    assert reachability.flags("localhost", name_timeout=math.inf).is_reachable and reachability.wait("localhost", math.inf)
    with Watcher() as watcher:
        watcher.add_gate("localhost", print, Conditions(stable=math.inf))


def turn(watcher: Watcher, seen: list, count: int) -> None:
    poll = select.poll()
    poll.register(watcher, select.POLLIN)
    while len(seen) < count:
        assert poll.poll(120_000)
        watcher.process()


def check_watcher() -> None:
    watcher, flags, paths = Watcher(), [], []
    first = watcher.add("192.0.2.1", flags.append)
    watcher.add_path(paths.append)
    turn(watcher, flags, 1)
    turn(watcher, paths, 1)
    ip("route add default via 10.0.0.254")
    turn(watcher, flags, 2)
    turn(watcher, paths, 2)
    assert flags == [Flags(0), Flags.REACHABLE]
    assert [path.status for path in paths] == [PathStatus.UNSATISFIED, PathStatus.SATISFIED]
    assert not paths[1].is_expensive and not paths[1].is_constrained
    assert paths[1].interface == "eth0" and paths[1].has_ipv4 and not paths[1].has_ipv6
    details = reachability.path_details()
    assert details["identity"] == reachability.path().identity == paths[1].identity != paths[0].identity
    assert details.keys() == reachability.PathDetails.__annotations__.keys()
    interface = details["interfaces"][0]
    assert interface.keys() == reachability.InterfaceDetails.__annotations__.keys()
    assert interface["name"] == "eth0" and interface["gateways"] == ["10.0.0.254"]
    assert first.cancel() and not first.cancel()
    # The library tells of an address, too, which a Path does not have.
    told = []
    watcher._add(PathCallback, lambda _: None, told.append, library.reachability_watcher_add_path, None)
    turn(watcher, told, 1)
    ip("address add 10.0.0.9/24 dev eth0")
    turn(watcher, told, 2)
    assert len(paths) == 2
    ip("address del 10.0.0.9/24 dev eth0")
    ip("route del default")
    turn(watcher, paths, 3)
    assert paths[2].identity == paths[0].identity and len({path.identity for path in paths}) == 2
    assert len(flags) == 2
    descriptor = watcher.fileno()
    watcher.close()
    watcher.close()
    assert not first.cancel()
    refused(ValueError, "closed", watcher.fileno)
    refused(OSError, "", lambda: os.fstat(descriptor))


def check_callbacks() -> None:
    # A callback may remove itself, and what it holds is released.
    class Held:
        pass

    held, calls = Held(), []
    gone = weakref.ref(held)
    with Watcher() as watcher:
        registrations = []

        def once(flags: Flags, held: Held = held) -> None:
            calls.append(flags)
            registrations[0].cancel()

        registrations.append(watcher.add(Target("10.0.0.7"), once))
        turn(watcher, calls, 1)
        del once, held
        gc.collect()
        assert gone() is None
        watcher.add(Target("10.0.0.7"), lambda flags: (calls.append(flags), watcher.close()))
        while len(calls) < 2:
            watcher.process()
    # Both are due, and the first removes the second.
    with Watcher() as watcher:
        second = None
        first = watcher.add("10.0.0.7", lambda flags: (calls.append(flags), second.cancel()), mark=7)
        with watcher.add("10.0.0.7", print, port=80) as second:
            turn(watcher, calls, 3)
        assert first.cancel() and not second.cancel()


def check_exceptions() -> None:
    # What a callback raises comes from `process`, and what is due then comes later.
    calls: list = []

    def fail(error: BaseException) -> None:
        calls.append(error)
        raise error

    class Observed(Watcher):
        rechecks = 0

        def recheck(self) -> None:
            self.rechecks += 1
            super().recheck()

    for error in [KeyboardInterrupt(), SystemExit(3), ZeroDivisionError()]:
        with Observed() as watcher:
            watcher.add("10.0.0.7", lambda flags: fail(error))
            watcher.add("10.0.0.8", calls.append)
            assert refused(type(error), "", lambda: turn(watcher, calls, 9)) is error
            assert watcher.rechecks == 1 and select.select([watcher], [], [], 0)[0]
            turn(watcher, calls, 2)
        assert calls.pop(0) is error and calls.pop() == Flags.REACHABLE | Flags.IS_DIRECT
    # So does a signal that comes while the library is at work: here raise(3) is what it calls, with the flags of the target, and
    # these are 2, the number of SIGINT. It cannot come while code of Python runs, where `refused` waits for it.
    with Watcher() as watcher, Target("192.0.2.1") as target:
        watcher._add(
            lambda _: ctypes.cast(ctypes.CDLL(None)["raise"], Callback), Flags, print, library.reachability_watcher_add,
            target._open())
        watcher.add("192.0.2.1", calls.append)
        watcher.add_path(calls.append)
        turn(watcher, calls, 2)
        ip("route add default via 10.0.0.254")
        refused(KeyboardInterrupt, "", lambda: turn(watcher, calls, 9))
        ip("route del default")


def check_warnings() -> None:
    def warned(kind: type[Warning], words: str, body):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result = body()
            gc.collect()
        assert [warning.category for warning in told] == [kind] and words in str(told[0].message), told
        assert kind is ResourceWarning or told[0].filename == __file__
        return result

    words = "write name_timeout"
    assert warned(DeprecationWarning, words, lambda: Target("a.test", timeout=2)) == Target("a.test", name_timeout=2)
    warned(DeprecationWarning, words, lambda: reachability.flags("::1", timeout=2))
    warned(DeprecationWarning, words, lambda: aio.watch("::1", timeout=2))
    asyncio.run(warned(DeprecationWarning, words, lambda: first_of(aio.watch("::1", timeout=2))))
    refused(TypeError, "the old word", lambda: Target("a.test", timeout=2, name_timeout=2))
    warned(ResourceWarning, "unclosed <reachability.Watcher", lambda: Watcher() and None)

    async def blocks() -> bool:
        return warned(RuntimeWarning, "await reachability.aio.wait", lambda: reachability.wait("10.0.0.7"))

    assert asyncio.run(blocks())


async def first_of(changes):
    async with contextlib.aclosing(changes):
        return await anext(changes)


def open_descriptors() -> set[str]:
    return {name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")}


async def check_one_watcher() -> None:
    # Many names whose servers are silent, and many addresses: a loop has one watcher for all of them.
    before, most = open_descriptors(), 0
    with socket.socket(type=socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        servers = ["127.0.0.1:%d" % silent.getsockname()[1]]
        names = [asyncio.create_task(aio.flags(f"a{number}.test", servers=servers, name_timeout=1)) for number in range(300)]
        changes = [aio.watch(f"192.0.2.{number % 250}", mark=number) for number in range(300)]
        assert await asyncio.gather(*map(anext, changes)) == [Flags(0)] * 300
        most = len(open_descriptors() - before)
        assert await asyncio.gather(*names) == [Flags(0)] * 300
    for change in changes:
        await change.aclose()
    assert most < 40 and len(open_descriptors()) - len(before) < 10, (most, open_descriptors())
    assert not aio._LoopWatcher._of_loop
    # Who cannot begin leaves nothing, and takes nothing from others.
    other = aio.watch("192.0.2.1")
    assert await anext(other) == Flags(0)
    with socket.socket(type=socket.SOCK_DGRAM) as connection:
        connection.connect(("10.0.0.7", 9))
        with SocketFate(connection) as fate:
            pass
        try:
            await anext(aio.watch_socket(fate))
        except ValueError:
            pass
    ip("route add default via 10.0.0.254")
    assert await anext(other) == Flags.REACHABLE
    ip("route del default")
    await other.aclose()
    assert not aio._LoopWatcher._of_loop


def check_closed_loop() -> None:
    # A loop that is closed takes its watcher along, whoever still has a sequence.
    loop, changes = asyncio.new_event_loop(), aio.watch("192.0.2.1")
    before = len(open_descriptors())
    loop.run_until_complete(anext(changes))
    assert len(open_descriptors()) > before
    loop.close()
    assert len(open_descriptors()) < before


async def check_asyncio() -> None:
    seen = []
    async for flags in aio.watch("192.0.2.1"):
        seen.append(flags.is_reachable)
        if len(seen) == 3:
            break
        ip("route add default via 10.0.0.254" if len(seen) == 1 else "route del default")
    assert seen == [False, True, False]
    assert await aio.flags("10.0.0.7") == Flags.REACHABLE | Flags.IS_DIRECT
    # Nobody answers: the loop runs on while the name is resolved, and no thread is started.
    other = asyncio.ensure_future(asyncio.sleep(0, "ran"))
    assert await aio.flags("a.test", servers=["127.0.0.1:9"], name_timeout=0.2) == Flags(0)
    assert other.result() == "ran" and threading.active_count() == 1
    for limit in [0, 1e-9]:
        assert await aio.wait("10.0.0.7", limit) and not await aio.wait("192.0.2.1", limit)
    assert not await aio.wait("192.0.2.1", 0.05)
    waiting = asyncio.create_task(aio.wait(ipaddress.ip_address("192.0.2.1"), 120))
    paths = aio.watch_path()
    assert (await anext(paths)).status == PathStatus.UNSATISFIED
    ip("route add default via 10.0.0.254")
    assert (await anext(paths)).status == PathStatus.SATISFIED and await waiting
    await paths.aclose()
    ip("route del default")
    cancelled = asyncio.create_task(aio.wait("192.0.2.1"))
    await asyncio.sleep(0)
    cancelled.cancel()
    assert isinstance((await asyncio.gather(cancelled, return_exceptions=True))[0], asyncio.CancelledError)


async def check_connections() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as connection:
        error = refused(ReachabilityError, "not connected", lambda: SocketFate(connection))
        assert error.code is ErrorCode.INVALID_SOCKET
        ip("route add default via 10.0.0.254")
        connection.connect(("192.0.2.1", 9))
        fate = SocketFate(connection)
        assert repr(fate) == f"<SocketFate of descriptor {connection.fileno()}>"
        assert fate.state() == SocketFate(connection.fileno()).state() == SocketState(Fate.VIABLE, FateReason.NONE, None)
        states = aio.watch_socket(fate)
        assert (await anext(states)).fate is Fate.VIABLE
        ip("route del default")
        assert await anext(states) == SocketState(Fate.UNVIABLE, FateReason.NO_ROUTE, None)
        await states.aclose()
    assert fate.state() == SocketState(Fate.DEAD, FateReason.CLOSED, None)
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    assert SocketFate(writer).state() == SocketFate(writer.transport).state()
    await reader.read()
    writer.close()
    server.close()
    pipe = os.pipe()
    transport, _ = await asyncio.get_running_loop().connect_write_pipe(asyncio.Protocol, os.fdopen(pipe[1], "wb"))
    refused(ValueError, "has no socket", lambda: SocketFate(transport))
    transport.close()
    os.close(pipe[0])
    refused(ReachabilityError, "a folder", lambda: SocketFate(os.open("/", os.O_RDONLY)))
    refused(TypeError, "pass a socket", lambda: SocketFate("eth0"))


async def check_gate() -> None:
    strict = Conditions(not_expensive=True, not_constrained=True, required_kind=Kind.WIRED, stable=0.02)
    assert not await aio.pass_gate("192.0.2.1", strict, 0.05)
    passing = asyncio.create_task(aio.pass_gate("192.0.2.1", strict, 120))
    closed = aio.watch_gate("192.0.2.1", Conditions(prohibited_kinds=Kind.WIRED | Kind.WIFI))
    assert await anext(closed) == Obstacles.UNREACHABLE
    ip("route add default via 10.0.0.254")
    assert await passing and await anext(closed) == Obstacles.INTERFACE
    await closed.aclose()
    ip("route del default")
    refused(ValueError, "not WIFI|WIRED", lambda: Conditions(required_kind=Kind.WIRED | Kind.WIFI))
    refused(TypeError, "Kind.WIFI", lambda: Conditions(required_kind="wifi"))
    assert Conditions().required_kind is None


def check_ended() -> None:
    # In the child of a fork, a watcher of the parent's says so at each call. No loop of asyncio is at work here.
    watcher = Watcher()
    watcher.add("192.0.2.1", lambda flags: None)
    child = os.fork()
    if child == 0:
        try:
            for _ in range(2):
                error = refused(ReachabilityError, "of the parent", watcher.process)
                assert error.code is ErrorCode.UNSUPPORTED and not select.select([watcher], [], [], 0)[0]
            os._exit(0)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    watcher.close()


async def check_ended_asyncio() -> None:
    # A watcher that fails leaves the loop, and the task that waits for it gets the error.
    failing = ReachabilitySystemError(ErrorCode.KERNEL_UNAVAILABLE, "it has failed, because", errno.EPERM)
    process, calls = Watcher.process, 0

    def refuse(watcher: Watcher) -> None:
        nonlocal calls
        calls += 1
        raise failing

    changes = aio.watch("192.0.2.1")
    assert await anext(changes) == Flags(0)
    Watcher.process = refuse
    ip("route add 192.0.2.1 via 10.0.0.254")
    while not calls:
        await asyncio.sleep(0)
    for _ in range(10):
        await asyncio.sleep(0)
    try:
        await anext(changes)
    except OSError as error:
        assert error is failing and calls == 1
    else:
        raise AssertionError("the error is not told")
    finally:
        Watcher.process = process
        ip("route del 192.0.2.1")


def check_fork() -> None:
    # A worker that was forked after a question has watchers of its own.
    target, inherited = Target("192.0.2.1"), Watcher()
    inherited.add(target, lambda flags: None)
    child = os.fork()
    if child == 0:
        try:
            inherited.close()
            seen: list = []
            watcher = Watcher()
            watcher.add(target, seen.append)
            turn(watcher, seen, 1)
            ip("route add default via 10.0.0.254")
            turn(watcher, seen, 2)
            ip("route del default")
            right = seen == [Flags(0), Flags.REACHABLE] and reachability.wait("10.0.0.7", 120)
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    inherited.close()


def check_wait() -> None:
    assert reachability.wait("10.0.0.7", 120) and reachability.wait("10.0.0.7", 1e12)
    for limit in [0, -1, 1e-9]:
        assert reachability.wait("10.0.0.7", limit) and not reachability.wait("192.0.2.1", limit)


check_questions()
check_impossible_names()
check_words()
check_target()
check_details()
check_refusals()
check_copies()
check_errors()
check_newer_library()
check_types()
check_options()
check_watcher()
check_callbacks()
check_exceptions()
check_warnings()
asyncio.run(check_asyncio())
asyncio.run(check_one_watcher())
check_closed_loop()
asyncio.run(check_connections())
asyncio.run(check_gate())
check_ended()
asyncio.run(check_ended_asyncio())
check_fork()
check_wait()
gc.collect()
assert not unraised, unraised
print("ok")
