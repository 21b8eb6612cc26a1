"""The map: what a store must hold, may hold and must not hold, after what was acknowledged, what
was not, what was deleted and what expired."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model_texts import Message, digest, marks
from service import Answer

_NAME = re.compile(r"(?:tool_call_|compressed_files_|compressed_group_|lro-)[\w-]+\.(?:txt|jsonl?)")
_MANY = re.compile(r"(compressed_group_[\w-]+_)\{")
# The user's words may name a file; only references keep one.
_WORDS = re.compile(r"<user_directives>.*?</user_directives>", re.DOTALL)
_LIST = "compressed_files_"

LIVES, GONE, EITHER = "lives", "gone", "either"


@dataclass
class File:
    """A name that was given out, or that a crash left."""

    name: str
    digest: str
    state: str = EITHER
    # The chats that it surely belongs to, and those that it may belong to.
    sure: set[str] = field(default_factory=set)
    maybe: set[str] = field(default_factory=set)
    # Every chat that it ever may have belonged to.
    ever: set[str] = field(default_factory=set)
    call: str | None = None
    # A deletion may have taken the words of its call away.
    nameless: bool = False
    # Of /offload_result: it belongs to no chat.
    free: bool = False
    # The moment, by the steady clock, from which a sweep may take it, and from which it must.
    until: float | None = None
    over: float = 0.0
    why: str = ""

    def is_over(self, now: float) -> bool:
        """True where its own time may have come to its end."""
        return self.until is not None and now >= self.until


@dataclass(frozen=True)
class Receipt:
    """An acknowledged history, what it must give back, and what it needs for that."""

    chat: str
    messages: list[Message]
    originals: list[Message]
    needs: frozenset[str]


@dataclass
class Chat:
    """A chat as its client knows it."""

    name: str
    life: int = 0
    turns: int = 0
    messages: list[Message] = field(default_factory=list)
    originals: list[Message] = field(default_factory=list)
    # The names that it ever got, those that its last answer leads to, and those that false
    # notes name.
    refers: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)
    forged: set[str] = field(default_factory=set)
    # The names that were there before its last post: one that another post made again at the
    # same time was not there for this one.
    found: set[str] = field(default_factory=set)
    # A deletion of it was begun, and nobody said that it is done.
    doomed: bool = False

    def forget(self) -> None:
        """Begins anew, as another history under the same name."""
        self.life, self.turns = self.life + 1, 0
        self.messages, self.originals = [], []
        self.refers, self.needs, self.forged = set(), set(), set()


class Map:
    """Everything that is known of one store's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, File] = {}
        # The content of each name, for good.
        self.names: dict[str, str] = {}
        self.planted: dict[str, str] = {}
        # Every text ever sent or answered: whatever is stored was one of these.
        self.texts: set[str] = set()
        self.rows: set[str] = set()
        self.messages: set[str] = set()
        # The chats that may still have each word.
        self.words: dict[bytes, set[str]] = {}
        # Chats with posts that were not answered.
        self.unsettled: set[str] = set()
        self.faults: list[str] = []

    def path(self, name: str) -> str:
        """The path of a name, as callers spell it."""
        return str(self.folder / name)

    def sends(self, chat: str, messages: list[Message], *also: list[Message]) -> None:
        """A history is about to be posted: its words are the chat's from now on."""
        for word in marks([messages, *also]):
            self.words.setdefault(word, set()).add(chat)
        for message in messages:
            self.messages.add(digest(message))
            content = message.get("content")
            if isinstance(content, str):
                self.texts.add(digest(content.encode()))
                if content.startswith("["):
                    self.sends_rows(content)

    def sends_rows(self, content: str) -> None:
        """An array of records is about to be posted; they leave without their spaces."""
        rows = content.removeprefix("[").removesuffix("]").split("}, {")
        for row in rows:
            spelled = "{" + row.strip("{}") + "}"
            self.rows.add(spelled.replace('": ', '":').replace(", ", ","))

    def file(self, name: str, content: bytes) -> File:
        """The file of a name, whose content is this, now and for good."""
        known = self.names.setdefault(name, digest(content))
        if known != digest(content):
            self.faults.append(f"{name} means another content than before: {content[:80]!r}")
        if name not in self.files:
            # A post that nobody answered may have taken the name before.
            words = [self.words.get(word, set()) for word in marks(content)]
            chats = {chat for chat in self.unsettled if all(chat in holds for holds in words)}
            self.files[name] = File(name, known, maybe=chats, ever=set(chats))
        return self.files[name]

    def acknowledged(self, chat: Chat, answer: Answer, asked: set[str]) -> None:
        """A history was answered: what it names lives, and is the chat's."""
        for name in asked:
            self.files[name].maybe.discard(chat.name)
        report, named = answer.metadata["report"], answer.metadata.get("write_file_dict", {})
        calls: dict[str, Any] = {}
        for action in report["actions"]:
            if action["action"] != "keep" and (path := action.get("path")):
                calls[path] = action.get("tool_call_id")
        for path, text in named.items():
            name = path.rsplit("/", 1)[1]
            file = self.file(name, text.encode())
            file.state, file.call = LIVES, file.call or calls.get(path)
        for path in {*calls, *named}:
            name = path.rsplit("/", 1)[1]
            if name not in self.files and (self.folder / name).exists():
                # Of a snapshot that is kept, or of another answer at the same time.
                self.file(name, (self.folder / name).read_bytes()).state = LIVES
            if name not in self.files:
                self.faults.append(f"{chat.name}: {path} is named, but was never written")
                continue
            chat.refers.add(name)
        # A list that a post without an answer left is named by no action of this one.
        said = set(_NAME.findall(json.dumps(answer.json["messages"]))) - chat.forged
        chat.refers |= {name for name in said & self.files.keys() if name.startswith(_LIST)}
        fresh = {path.rsplit("/", 1)[1] for path in {*calls, *named}}
        chat.needs = self._reached(chat, answer.json["messages"], set())
        reached = self._reached(chat, answer.json["messages"], chat.forged)
        for name in chat.refers:
            file = self.files[name]
            file.ever.add(chat.name)
            if name in fresh | (reached & chat.found) and self._is_there(name):
                file.state = LIVES
                file.sure.add(chat.name)
            elif chat.name not in file.sure:
                file.maybe.add(chat.name)

    def _reached(self, chat: Chat, messages: list[Message], but: set[str]) -> set[str]:
        """The chat's names in a history, and in the groups and lists that it names."""
        found: set[str] = set()
        left = [json.dumps(messages)]
        while left:
            said = _WORDS.sub("", left.pop())
            named = set(_NAME.findall(said)) - but
            for start in _MANY.findall(said):
                named |= {name for name in chat.refers if name.startswith(start)}
            new = (named & chat.refers) - found
            found |= new
            for name in new:
                if name.startswith("compressed_") and self._is_there(name):
                    left.append((self.folder / name).read_text())
        return found

    def _is_there(self, name: str) -> bool:
        return self.files[name].state != GONE and (self.folder / name).exists()

    def asks(self, chat: Chat, posted: list[Message]) -> set[str]:
        """A history is on its way: the names that may be the chat's by it, and were not."""
        chat.found = {name for name in self.files if self._is_there(name)}
        whole = {digest(str(message.get("content")).encode()) for message in posted}
        new = set()
        for file in self.files.values():
            known = chat.name in file.ever or file.name in chat.refers
            if known or file.digest in whole or self._is_common(file, chat):
                file.ever.add(chat.name)
                if chat.name not in file.sure | file.maybe:
                    new.add(file.name)
                    file.maybe.add(chat.name)
        return new

    def unanswered(self, chat: Chat, posted: list[Message]) -> None:
        """Nobody knows what became of it: what is gone may be made again, and files that
        others made meanwhile may be its, too."""
        self.asks(chat, posted)
        self.unsettled.add(chat.name)
        for file in self.files.values():
            if chat.name in file.maybe and file.state == GONE:
                file.state, file.why = EITHER, ""

    def _is_common(self, file: File, chat: Chat) -> bool:
        """True where other chats may make the same: records have no chat in their names, and
        the names of some chats look alike."""
        alike = re.sub(r"[^\w-]", "_", chat.name, flags=re.ASCII)
        kind, _, rest = file.name.partition("_")
        group = kind == "compressed" and rest.split("_", 1)[1].startswith(f"{alike}_")
        return group or file.name.startswith("lro-") and not file.free

    def deleted(self, chat: Chat) -> None:
        """A deletion was acknowledged: what belonged to no other chat is gone."""
        chat.doomed = False
        self.unsettled.discard(chat.name)
        for holders in self.words.values():
            holders.discard(chat.name)
        for file in self.files.values():
            if chat.name not in file.sure | file.maybe:
                continue
            file.nameless = True
            file.sure.discard(chat.name)
            file.maybe.discard(chat.name)
            if file.sure or file.free:
                continue
            if file.state == LIVES:
                file.why = "" if file.maybe else "deleted"
                file.state = EITHER if file.maybe else GONE
            elif not file.maybe:
                file.state = GONE

    def half_deleted(self, chat: Chat) -> None:
        """A deletion was begun, and nobody knows how far it came."""
        chat.doomed = True
        for file in self.files.values():
            file.nameless |= chat.name in file.ever
            if chat.name in file.sure:
                file.sure.discard(chat.name)
                file.maybe.add(chat.name)
                if not file.sure and not file.free and file.state == LIVES:
                    file.state, file.why = EITHER, ""

    def expired(self, file: File) -> None:
        """Its time was over, and a sweep said that it is done."""
        file.why = "expired" if file.state == LIVES else ""
        file.state = GONE
        file.maybe |= file.sure
        file.sure = set()

    def settle(self, on_disk: set[str]) -> None:
        """Nobody is at work: what is not there comes back by a post only."""
        for name, file in self.files.items():
            if file.state == EITHER and name not in on_disk:
                file.state = GONE

    def dead_words(self) -> set[bytes]:
        """The words of chats that are deleted, and of no other."""
        return {word for word, holders in self.words.items() if not holders}

    def is_strong(self, receipt: Receipt, now: float) -> bool:
        """True where everything that it needs must be there."""
        files = (self.files[name] for name in receipt.needs)
        return all(file.state == LIVES and not file.is_over(now) for file in files)
