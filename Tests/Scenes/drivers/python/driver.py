# SPDX-License-Identifier: Apache-2.0
"""The scenes' driver for the Python package: questions, and watching by a watcher and by asyncio. See Tests/Scenes/README.md
for the lines it reads and writes."""

import asyncio
import sys
from typing import Any

import reachability
from reachability import Flags, Target, Watcher, aio


def say(line: str) -> None:
    print(line, flush=True)


def target(question: str) -> Target:
    host, *words = question.split(" ")
    options: dict[str, Any] = dict(word.split("=", 1) for word in words)
    for key in ("mark", "uid", "port"):
        if key in options:
            options[key] = int(options[key])
    if host == "default":
        return Target.default(**options)
    local, comma, remote = host.partition(",")
    return Target.pair(local or None, remote or None, **options) if comma else Target(host, **options)


async def answer(question: str) -> None:
    """The ways to ask must give the same flags and the same code. If they do not, all are written, which no scene expects."""
    asked = target(question)
    details = reachability.details(asked)
    flags, reason = asked.answer()
    ways = {int(asked.flags()), int(flags), int(await aio.flags(asked)), details["flags"]}
    codes = {details["code"], reason.name.lower()}
    told = {name: details.get(name) or "none" for name in ("interface", "gateway", "source")}  # type: ignore[attr-defined]
    members = [f"{name}={value}" for name, value in told.items()]
    say(" ".join(["answer", "flags=" + "/".join(map(str, ways)), "code=" + "/".join(codes), *members]))


def tell(face: str, question: str, flags: Flags) -> None:
    say(f"told {face} {question} -> flags={int(flags)}")


async def follow(question: str) -> None:
    async for flags in aio.watch(target(question)):
        tell("asyncio", question, flags)


async def main() -> None:
    loop = asyncio.get_running_loop()
    watcher = Watcher()
    loop.add_reader(watcher, watcher.process)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    followers = []
    while line := (await reader.readline()).decode().rstrip("\n"):
        verb, question = line.split(" ", 1)
        if verb == "ask":
            await answer(question)
        else:
            watcher.add(target(question), lambda flags, question=question: tell("python", question, flags))
            followers.append(asyncio.create_task(follow(question)))
            say(f"watching {question}")
    watcher.close()


asyncio.run(main())
