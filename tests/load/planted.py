"""Files that the attacker writes into its own folder: an agent there may be its tool."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from attack import Evil, Manner
from home import EVIL_MARK, Home

MIB = 1024 * 1024
# Names as the service gives them; the last is one of records.
HOLES = (
    "tool_call_1.txt",
    "compressed_group_c_0.json",
    "compressed_files_c_0.txt",
    "lro-hole-00000000000000000000000000.jsonl",
)
HOLE = 3 * 1024 * MIB
# A line that is as long as a search takes any, in MiB.
LINE = 60
# Of what it stored, the most that stays: a volume of its own would have a quota.
QUOTA = 2 * 1024 * MIB
FOLDERS = 200
# Between two looks at the quota, in seconds.
LOOK_EVERY = 1.0


@dataclass(frozen=True)
class Planted:
    """Files that are there before the attack."""

    lines: str
    line: str
    rows: str
    few: str
    holes: str
    # Lines of `lines`, bytes of `line`.
    count: int
    bytes: int


def plant(home: Home, size: int) -> Planted:
    """Text of `size` MiB in lines and without any, records, holes."""
    folder = home.folder / "planted"
    folder.mkdir()
    seed = random.Random(7)
    letters = "abcdefghijkxyz0123456789"
    words = ["".join(seed.choices(letters, k=seed.randint(1, 12))) for _ in range(999)]
    block = [f"{EVIL_MARK} {' '.join(seed.choices(words, k=12))}\n" for _ in range(12_000)]
    text, times = "".join(block), 1
    while len(text) * times < size * MIB:
        times += 1
    with (folder / "lines.txt").open("w") as lines:
        for _ in range(times):
            lines.write(text)
    ab = "".join(seed.choices("ab", k=MIB))
    with (folder / "one_line.txt").open("w") as line:
        for _ in range(LINE):
            line.write(ab)
    with (folder / "rows.jsonl").open("w") as rows:
        for n in range(size * 2_000):
            rows.write(f'{{"id":{n},"text":"{block[n % 9999][:-1]} {n}","list":[1,2,3]}}\n')
    with (folder / "few.jsonl").open("w") as few:
        few.write('{"id":1}\n' * 9)
    holes = folder / "holes"
    holes.mkdir()
    for name in HOLES:
        hole(holes / name)
    names = ("lines.txt", "one_line.txt", "rows.jsonl", "few.jsonl", "holes")
    return Planted(*(str(folder / name) for name in names), len(block) * times, LINE * MIB)


def hole(path: Path) -> None:
    """A file that is long and costs nothing."""
    with path.open("wb") as made:
        made.truncate(HOLE)


def plants(home: Home) -> Iterator[Evil]:
    """The agent's harm to the store while the service uses it."""
    for kind, act in {
        "plants holes": _holes,
        "plants notes": _notes,
        "plants folders": _folders,
        "plants no files": _special,
        "swaps files": _swaps,
    }.items():
        yield Evil(kind, lambda dice, act=act: act(home.folder, dice), Manner.ACTS)


def clears(home: Home) -> Evil:
    """Keeps to a quota, by taking whole stores away from under the service."""
    return Evil("takes stores away", lambda _: _clears(home.folder), Manner.ACTS)


def _holes(folder: Path, dice: random.Random) -> bytes:
    """Long files where the service stores and where it notes."""
    store = folder / "chats"
    for name in HOLES:
        _quietly(lambda name=name: hole(store / name))
    record = f"tool_call_{dice.randrange(300)}.txt.json"
    _quietly(lambda: hole(store / ".unburden" / "names" / record))
    _quietly(lambda: hole(store / f"compressed_group_{EVIL_MARK}-0_{dice.randrange(99)}.json"))
    return b""


def _notes(folder: Path, dice: random.Random) -> bytes:
    """Garbage in the places of the key, the clock and the format."""
    private = folder / "results" / ".unburden"
    name = dice.choice(("key", "clock", "format"))
    made = dice.choice((hole, lambda path: path.write_bytes(os.urandom(100))))
    _quietly(lambda: made(private / name))
    return b""


def _folders(folder: Path, dice: random.Random) -> bytes:
    """Stores by the hundred, some of them deep."""
    start = dice.randrange(50) * FOLDERS
    for n in range(start, start + FOLDERS):
        _quietly(lambda n=n: (folder / "many" / str(n) / ".unburden").mkdir(0o700, parents=True))
        _quietly(lambda n=n: (folder / "many" / str(n) / "a/b/c/d/e").mkdir(parents=True))
    return b""


def _special(folder: Path, dice: random.Random) -> bytes:
    """A pipe, a link to a device, a link out, a folder, where a file is looked for."""
    path = folder / "chats" / f"tool_call_{dice.randrange(300)}.txt"
    made = dice.choice(
        (
            lambda: os.mkfifo(path),
            lambda: path.symlink_to("/dev/zero"),
            lambda: path.symlink_to("/etc/passwd"),
            path.mkdir,
        )
    )
    _quietly(path.unlink)
    _quietly(made)
    return b""


def _swaps(folder: Path, dice: random.Random) -> bytes:
    """Files of one name for another's, and a store's folder for another's."""
    store = folder / "chats"
    names = [store / f"tool_call_{dice.randrange(300)}.txt" for _ in range(40)]
    for one, other in zip(names, names[1:], strict=False):
        _quietly(lambda one=one, other=other: os.replace(one, other))
    _quietly(lambda: os.rename(store, folder / "chats-away"))
    _quietly(lambda: os.rename(folder / "chats-away", store))
    return b""


def _clears(folder: Path) -> bytes:
    time.sleep(LOOK_EVERY)
    held = {path: _held(path) for path in folder.iterdir() if path.name != "planted"}
    while sum(held.values()) > QUOTA:
        largest = max(held, key=lambda path: held[path])
        del held[largest]
        shutil.rmtree(largest, ignore_errors=True)
    return b""


def _held(folder: Path) -> int:
    """Bytes on the disk: a hole has none."""
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(at, name)).st_blocks * 512
            except OSError:
                continue
    return total


def _quietly(act: object) -> None:
    """Failures are passed over: the service writes there, too."""
    try:
        act()  # type: ignore[operator]
    except OSError:
        pass
