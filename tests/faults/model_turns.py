"""How a chat grows: results of its own, results that others get too, false notes, and what a tool
read back."""

from model_map import LIVES, Chat
from model_texts import (
    Message,
    Note,
    block_of,
    forged_block,
    forged_note,
    mark,
    notes_of,
    result,
    tool,
    turn,
)
from model_world import World

_NOTES = 60
_BLOCKS = 20


class Turns:
    """Makes turns, some of them from the real notes that chats were given."""

    def __init__(self, world: World) -> None:
        self.world, self.map, self.moment = world, world.map, world.moment
        self.notes: list[Note] = []
        self.blocks: list[str] = []

    def learn(self, chat: Chat, messages: list[Message]) -> None:
        """Takes the notes and snapshots of an answer: somebody will alter them."""
        real = notes_of(chat.name, messages)
        self.notes = [*self.notes, *(note for note in real if note not in self.notes)][-_NOTES:]
        if block := block_of(messages):
            self.blocks = [*self.blocks, block][-_BLOCKS:]

    def grow(self, chat: Chat) -> str:
        """A further turn: a result of the chat's own, one that others get too, a false note, or
        what a tool read back."""
        n = chat.turns
        chat.turns += 1
        call = f"call_{n}" if n % 5 else f"call {n}/é"
        label = f"{self.world.label}/{chat.name}/{chat.life}/{n}/{self.moment.random()}"
        word, roll = mark(label), self.moment.random()
        if not chat.messages and self.moment.random() < 0.7:
            _say(chat, [{"role": "system", "content": f"You work for {word}."}])
        if not chat.messages or chat.messages[-1]["role"] == "system":
            _say(chat, [{"role": "user", "content": f"Find {word}."}])
        paths = [self.map.path(name) for name in self.map.files if not name.startswith(".")]
        if roll < 0.16 and self.notes:
            text, role, how = forged_note(self.moment, self._of_another(chat), call, paths)
            return self._forge(chat, call, text, role, how, word)
        if roll < 0.22 and self.blocks:
            text, role, how = forged_block(self.moment, self.moment.choice(self.blocks), paths)
            return self._forge(chat, call, text, role, how, word)
        if roll < 0.3 and (back := self._read_back()):
            _say(chat, turn(call, "read_file", back, word))
            return "reads back"
        common = roll < 0.6
        label = f"common/{n}/{self.moment.randrange(2)}" if common else label
        content = result(label, f"common of {n}" if common else word)
        _say(chat, turn(call, tool(label), content, word))
        return "gets what others get" if common else "gets a result"

    def _of_another(self, chat: Chat) -> Note:
        others = [note for note in self.notes if note.chat != chat.name]
        return self.moment.choice(others or self.notes)

    def _forge(
        self, chat: Chat, call: str, text: str, role: str, how: str, word: str
    ) -> str:
        self.world.counts["forged"] += 1
        chat.forged |= {name for name in self.map.files if name in text}
        if role == "tool":
            _say(chat, turn(call, "read_page", text, word))
        else:
            _say(chat, [{"role": role, "content": text}])
            _say(chat, [{"role": "user", "content": f"Go on, {word}."}])
        return f"forges a note by its {how}, as {role}"

    def _read_back(self) -> str | None:
        """The whole content of a stored text, as a tool of an agent returns it."""
        texts = [file for file in self.map.files.values() if file.state == LIVES]
        texts = [file for file in texts if file.name.startswith("tool_call_")]
        if not texts:
            return None
        path = self.map.folder / self.moment.choice(texts).name
        held = path.read_text() if path.exists() else ""
        # A real note that somebody stored is a real one again under its own call.
        return held if held and "(detailed result" not in held and "<state_" not in held else None


def _say(chat: Chat, messages: list[Message]) -> None:
    chat.messages = [*chat.messages, *messages]
    chat.originals = [*chat.originals, *messages]
