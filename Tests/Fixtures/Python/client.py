# SPDX-License-Identifier: Apache-2.0
"""Uses the package rightly and wrongly, and prints "ok". Changes the routes of its network namespace, which has the
interface eth0 with 10.0.0.1/24."""

import asyncio
import gc
import os
import select
import subprocess
import weakref

import reachability
from reachability import Connectivity, Flags, PathStatus, ReachabilityError, Target, Watcher


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
    assert reachability.flags("localhost", timeout=2.5).is_reachable
    assert not reachability.flags("192.0.2.1").is_reachable
    assert "eth0" in reachability.explain("10.0.0.7")
    assert repr(Target("10.0.0.7")) == "Target('10.0.0.7')"
    assert reachability.path().status == PathStatus.UNSATISFIED
    assert reachability.path().connectivity == Connectivity.UNKNOWN
    assert reachability.version[0].isdigit()


def check_details() -> None:
    details = reachability.details("10.0.0.7")
    assert details.keys() == reachability.Details.__annotations__.keys()
    assert details["target"] == "10.0.0.7" and details["flags"] == Flags.REACHABLE | Flags.IS_DIRECT
    assert details["reachable"] is True and details["interface"] == "eth0" and details["gateway"] is None
    assert reachability.details("192.0.2.1")["code"] == "no_route"
    path = reachability.path_details()
    assert path.keys() == reachability.PathDetails.__annotations__.keys()
    assert path["status"] == "unsatisfied" and not any(link["leads_out"] for link in path["interfaces"])
    refused(ReachabilityError, "no-such", lambda: reachability.path_details(netns="no-such"))


def check_refusals() -> None:
    assert refused(ReachabilityError, "empty", lambda: Target("")).code == 1
    assert refused(ReachabilityError, "nothing:0", lambda: Target("::1", interface="nothing:0")).code == 3
    refused(ReachabilityError, "nonsense", lambda: Target("a.test", servers=["nonsense"]))
    refused(ReachabilityError, "no-such", lambda: reachability.path(netns="no-such"))
    refused(TypeError, "colour", lambda: Target("::1", colour="red"))
    refused(ValueError, "mark", lambda: Target("::1", mark=-1))
    refused(ValueError, "NUL", lambda: Target("a\0b"))


def turn(watcher: Watcher, seen: list, count: int) -> None:
    poll = select.poll()
    poll.register(watcher, select.POLLIN)
    while len(seen) < count:
        assert poll.poll(120_000)
        watcher.process()


def check_watcher() -> None:
    watcher, flags, paths = Watcher(), [], []
    first = watcher.add(Target("192.0.2.1"), flags.append)
    watcher.add_path(paths.append)
    turn(watcher, flags, 1)
    turn(watcher, paths, 1)
    ip("route add default via 10.0.0.254")
    turn(watcher, flags, 2)
    turn(watcher, paths, 2)
    assert flags == [Flags(0), Flags.REACHABLE]
    assert [path.status for path in paths] == [PathStatus.UNSATISFIED, PathStatus.SATISFIED]
    assert paths[1].interface == "eth0" and paths[1].has_ipv4 and not paths[1].has_ipv6
    interface = reachability.path_details()["interfaces"][0]
    assert interface.keys() == reachability.InterfaceDetails.__annotations__.keys()
    assert interface["name"] == "eth0" and interface["gateways"] == ["10.0.0.254"]
    assert watcher.remove(first) and not watcher.remove(first)
    ip("route del default")
    turn(watcher, paths, 3)
    assert len(flags) == 2
    descriptor = watcher.fileno()
    watcher.close()
    watcher.close()
    refused(ValueError, "closed", watcher.fileno)
    refused(OSError, "", lambda: os.fstat(descriptor))


def check_callbacks() -> None:
    # A callback may remove itself, and what it holds is released.
    class Held:
        pass

    held, calls = Held(), []
    gone = weakref.ref(held)
    with Watcher() as watcher:
        identifiers = []

        def once(flags: Flags, held: Held = held) -> None:
            calls.append(flags)
            watcher.remove(identifiers[0])

        identifiers.append(watcher.add(Target("10.0.0.7"), once))
        turn(watcher, calls, 1)
        del once, held
        gc.collect()
        assert gone() is None
        watcher.add(Target("10.0.0.7"), lambda flags: (calls.append(flags), watcher.close()))
        while len(calls) < 2:
            watcher.process()


async def check_asyncio() -> None:
    seen = []
    async for flags in reachability.watch("192.0.2.1"):
        seen.append(flags.is_reachable)
        if len(seen) == 3:
            break
        ip("route add default via 10.0.0.254" if len(seen) == 1 else "route del default")
    assert seen == [False, True, False]


def check_fork() -> None:
    # A worker that was forked after a question has watchers of its own.
    target, inherited = Target("192.0.2.1"), Watcher()
    inherited.add(target, lambda flags: None)
    child = os.fork()
    if child == 0:
        try:
            del inherited
            gc.collect()
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


def check_wait() -> None:
    assert reachability.wait("10.0.0.7", 120)
    assert not reachability.wait("192.0.2.1", 0)


check_questions()
check_details()
check_refusals()
check_watcher()
check_callbacks()
asyncio.run(check_asyncio())
check_fork()
check_wait()
print("ok")
