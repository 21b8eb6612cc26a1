"""The model's own negative control: what it looks for, done by hand, must be seen.

Each control is a loss that the service would be wrong to show: the store is changed behind the
map, or an answer on its way."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import Verdict
from model_map import GONE, LIVES, File
from model_ops import Clients
from model_world import World
from service import Answer

_POSTS = 2


class _Control:
    """A small store in which nobody dies, and its harms."""

    def __init__(self, world: World, clients: Clients) -> None:
        self.world, self.clients = world, clients
        self.saved = world.root / "saved"
        # Some chats have nothing that is theirs alone, or leave nothing that others need.
        for chat in clients.chats:
            for other in clients.chats:
                for _ in range(_POSTS if other is chat or not other.messages else 0):
                    world.round([clients.post(other)], kills=False)
            shutil.rmtree(self.saved, ignore_errors=True)
            shutil.copytree(world.map.folder, self.saved)
            before = self._living()
            world.round([clients.delete(chat)], kills=False)
            self.living = self._living()
            gone = [file for file in before if file.state == GONE]
            needed = {name for receipt in clients.receipts for name in receipt.needs}
            texts = [f for f in self.living if f.name.startswith("tool_call_") and f.name in needed]
            if gone and texts:
                break
        self.text, self.gone = texts[0], gone[0]

    def _living(self) -> list[File]:
        return [file for file in self.world.map.files.values() if file.state == LIVES]

    def seen(self) -> bool:
        """True where the checks of a round see something."""
        world, reads = self.world, self.clients.reads
        world.disk.look(set())
        for receipt in self.clients.receipts:
            reads.receipt(receipt)
        for file in (self.text, self.gone):
            for _ in range(3):
                reads.file(file)
        found = bool(world.map.faults)
        world.map.faults.clear()
        return found

    def path(self) -> Path:
        """A file that a history needs."""
        return self.world.map.folder / self.text.name

    @contextmanager
    def swapped(self) -> Iterator[None]:
        """Another text of equal length."""
        held = self.path().read_bytes()
        self.path().write_bytes((b"another text " * len(held))[: len(held)])
        yield
        self.path().write_bytes(held)

    @contextmanager
    def missing(self) -> Iterator[None]:
        """A file that somebody took away."""
        held = self.path().read_bytes()
        self.path().unlink()
        yield
        self.path().write_bytes(held)

    @contextmanager
    def back(self) -> Iterator[None]:
        """A file of a deleted chat that is there again."""
        path = self.world.map.folder / self.gone.name
        shutil.copy(self.saved / self.gone.name, path)
        yield
        path.unlink()

    @contextmanager
    def forgotten(self) -> Iterator[None]:
        """A name whose record is lost: a 404 for what was there."""
        record = self.world.map.folder / ".unburden" / "names" / f"{self.gone.name}.json"
        held = record.read_bytes()
        record.unlink()
        yield
        record.write_bytes(held)
        record.chmod(0o600)

    @contextmanager
    def answered(self, change: Callable[[Answer], None]) -> Iterator[None]:
        """Answers that somebody changes on their way."""
        reads = self.clients.reads
        ask = reads.ask

        def changed(path: str, body: dict) -> Answer:
            answer = ask(path, body)
            if path == "/rehydrate":
                change(answer)
            return answer

        reads.ask = changed  # type: ignore[method-assign]
        yield
        reads.ask = ask  # type: ignore[method-assign]


def _short(answer: Answer) -> None:
    answer.json["messages"].pop()


def _foreign(answer: Answer) -> None:
    answer.json["messages"][0] = {"role": "user", "content": "Go on with mk0123456789ab."}


def controls(world: World, clients: Clients) -> Verdict:
    """Does each harm, and counts those that are seen."""
    try:
        control = _Control(world, clients)
        faults = list(world.map.faults)
        if not faults and control.seen():
            faults.append("something is wrong where no harm was done")
        harms = {
            "a swapped file": control.swapped(),
            "a missing file": control.missing(),
            "a file of a deleted chat": control.back(),
            "a lost record": control.forgotten(),
            "a short answer": control.answered(_short),
            "a foreign word": control.answered(_foreign),
        }
        seen = 0
        for what, harm in harms.items():
            with harm:
                found = control.seen()
            seen += found
            if not found:
                faults.append(f"{what} was not seen")
    finally:
        world.close()
    return Verdict(f"control: {seen} of {len(harms)} losses by hand seen", faults)
