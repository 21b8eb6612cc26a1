"""Reads, held against the map: the content that the name stands for, or a refusal by its name."""

import json
import time
from typing import Any

from model_map import EITHER, GONE, LIVES, File, Receipt
from model_texts import digest, marks
from model_world import World
from service import Answer

_MARK = "\n\n---\n\n"


class Reads:
    """Reads by any of the services."""

    def __init__(self, world: World) -> None:
        self.world, self.map = world, world.map
        self.moment = world.moment

    def ask(self, path: str, body: dict[str, Any]) -> Answer:
        """Asks any of the services."""
        self.world.counts["reads"] += 1
        return self.world.any().post(path, body)

    def _say(self, what: str, answer: Answer) -> None:
        self.world.say(f"{what}: {answer.status} {str(answer.json)[:300]}")

    # Files.

    def file(self, file: File) -> None:
        """One file by one of the ways to it."""
        ways = [self._whole, self._page, self._result, self._grep]
        if file.name.startswith("lro-"):
            ways.append(self._extract)
        answer, is_right = self.moment.choice(ways)(file)
        state = EITHER if file.is_over(time.monotonic() + 0.5) else file.state
        if answer.status == 200:
            if not is_right:
                self._say(f"{file.name} was read with another content", answer)
            elif state == GONE and file.name not in self.map.planted:
                self._say(f"{file.name} was {file.why or 'taken away'}, and was read", answer)
            return
        self.world.refusal(answer)
        if state == LIVES:
            self._say(f"{file.name} of {sorted(file.sure)} lives, and was refused", answer)
        elif why := self._unnamed(file, answer):
            self._say(f"{file.name}: {why}", answer)

    def _unnamed(self, file: File, answer: Answer) -> str | None:
        """Why a refusal does not say what became of a file."""
        if answer.status != 410 or answer.metadata["error"]["code"] != "file_expired":
            return "it was there, and its refusal is no 410"
        said = answer.json["answer"]
        deleted, expired = "was deleted with its chat at" in said, "has expired" in said
        if deleted == expired:
            return "its refusal does not say why"
        if file.why and file.why != ("deleted" if deleted else "expired"):
            return f"it was {file.why}"
        # The call is the maker's: what another chat inherited has none.
        if expired and file.call and not file.nameless and file.call not in said:
            return f"its refusal does not name {file.call}"
        return None

    def _held(self, file: File) -> bytes:
        path = self.map.folder / file.name
        return path.read_bytes() if path.exists() else b""

    def _whole(self, file: File) -> tuple[Answer, bool]:
        answer = self.ask("/read_file", {"absolute_path": self.map.path(file.name)})
        return answer, digest(str(answer.json.get("answer")).encode()) == file.digest

    def _page(self, file: File) -> tuple[Answer, bool]:
        held = self._held(file).decode()
        first = self.moment.randrange(max(1, held.count("\n")))
        body = {"absolute_path": self.map.path(file.name), "offset": first, "limit": 3}
        answer = self.ask("/read_file", body)
        page = str(answer.json.get("answer")).split(_MARK, 1)[-1]
        return answer, page.rstrip("\n") in held

    def _result(self, file: File) -> tuple[Answer, bool]:
        body = {"result_id": self.map.path(file.name), "lines": "last:1"}
        answer = self.ask("/read_tool_result", body)
        line = str(answer.json.get("answer")).split(_MARK, 1)[-1].rstrip("\n")
        return answer, line in self._held(file).decode()

    def _grep(self, file: File) -> tuple[Answer, bool]:
        lines = self._held(file).decode().split("\n")
        line = self.moment.choice([line for line in lines if line.strip()] or ["nothing"])[:200]
        body = {"pattern": line, "literal": True, "path": self.map.path(file.name)}
        answer = self.ask("/grep", body)
        return answer, bool(answer.metadata.get("matches"))

    def _extract(self, file: File) -> tuple[Answer, bool]:
        body = {"file_path": self.map.path(file.name), "count": True}
        answer = self.ask("/lro_extract", body)
        records = self._held(file).count(b"\n") - 1
        return answer, answer.metadata.get("records_total") == records

    def never(self) -> None:
        """A name that was never given out is a 404."""
        name = f"tool_call_never_{self.moment.randrange(10**9)}.txt"
        answer = self.ask("/read_file", {"absolute_path": self.map.path(name)})
        if self.world.refusal(answer) != "404 file_not_found":
            self._say(name, answer)

    def by_id(self, call: str) -> None:
        """A call's id leads to a file that its name leads to, or to a refusal."""
        body = {"result_id": call, "store_dir": str(self.map.folder), "lines": "last:1"}
        answer = self.ask("/read_tool_result", body)
        if answer.status == 200:
            name = answer.metadata["path"].rsplit("/", 1)[1]
            known = self.map.files.get(name)
            if name not in self.map.planted and (known is None or known.state == GONE):
                self._say(f"the id {call} leads to {name}", answer)
        elif self.world.refusal(answer) not in ("404 file_not_found",) and answer.status != 410:
            self._say(f"the id {call}", answer)

    # Histories.

    def receipt(self, receipt: Receipt) -> None:
        """An acknowledged history gives the original messages back, value for value; one whose
        files are gone brings back nothing that is not its own."""
        answer = self.ask("/rehydrate", {"messages": receipt.messages})
        if answer.status != 200:
            self._say(f"{receipt.chat}: rehydrate", answer)
            return
        back = answer.json["messages"]
        strong = self.map.is_strong(receipt, time.monotonic() + 0.5)
        self.world.counts["histories whole" if strong else "histories in part"] += 1
        if strong and back != receipt.originals:
            self._say(f"{receipt.chat}: rehydrated to other messages, {_differ(receipt, back)}; "
                      f"{answer.metadata}", answer)
        strange = [message for message in back if digest(message) not in self.map.messages]
        if strange:
            what = json.dumps(strange[0])[:200]
            self._say(f"{receipt.chat}: a message that nobody sent came back: {what}", answer)
        if foreign := marks(back) - marks([receipt.messages, receipt.originals]):
            self._say(f"{receipt.chat}: words of another chat came back: {foreign}", answer)


def _differ(receipt: Receipt, back: list[Any]) -> str:
    for at, (then, now) in enumerate(zip(receipt.originals, back, strict=False)):
        if then != now:
            return f"message {at} was {json.dumps(then)[:200]} and is {json.dumps(now)[:200]}"
    return f"{len(receipt.originals)} messages were {len(back)}"
