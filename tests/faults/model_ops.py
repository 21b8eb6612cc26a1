"""Operations on a store: posts, forks, forged notes, results, deletions, ends of time, files that
somebody planted or changed."""

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from model_map import LIVES, Chat, Receipt
from model_reads import Reads
from model_texts import Message, digest, is_rows, marks, result
from model_turns import Turns
from model_world import Job, World
from service import Answer, Service

# Two of them look alike in the names of files.
_CHATS = ("a/b", "a_b", "chat 2", "é", "fork")
# Its tokens are estimated: a service that died for the tenth time needs no tables.
MODEL = "claude-sonnet-4-5"
_UNCHANGED = "the messages are unchanged"


class Clients:
    """The clients of a world: each step makes the jobs of a round, or is one by itself."""

    def __init__(self, world: World) -> None:
        self.world, self.map, self.moment = world, world.map, world.moment
        self.reads = Reads(world)
        self.chats = [Chat(name) for name in _CHATS]
        self.turns = Turns(world)
        self.receipts: list[Receipt] = []
        self.brief = 0

    # Histories.

    def post(self, chat: Chat, grows: bool = True, clash: bool = False) -> Job:
        """A history is posted, longer than before, or as it is."""
        did = "is posted again"
        for _ in range(self.moment.choice((1, 1, 2, 3)) if grows else 0):
            did = self.turns.grow(chat)
        return self._posting(chat, did, clash)

    def whole(self, chat: Chat) -> Job:
        """The client posts its own messages, as if it had never seen an answer."""
        chat.messages, chat.refers = list(chat.originals), set()
        return self._posting(chat, "is posted whole")

    def fork(self, chat: Chat, to: Chat) -> Job:
        """A history goes on as another chat."""
        to.messages, to.originals = list(chat.messages), list(chat.originals)
        to.refers, to.turns, to.forged = set(chat.refers), chat.turns, set(chat.forged)
        to.life += 1
        did = self.turns.grow(to) if self.moment.random() < 0.5 else "is posted"
        return self._posting(to, f"forks {chat.name} and {did}")

    def _posting(self, chat: Chat, did: str, clash: bool = False) -> Job:
        posted, originals = list(chat.messages), list(chat.originals)
        self.map.sends(chat.name, posted, originals)
        asked = self.map.asks(chat, posted)
        pick = self.moment.choice
        body = {
            "messages": posted,
            "store_dir": str(self.map.folder),
            "chat_id": chat.name,
            "model": MODEL,
            "context_manage_mode": pick(("compact", "compact", "compress", "compress", "auto")),
            "max_total_tokens": pick((1, 200, 300)),
            "max_tool_message_tokens": pick((60, 100)),
            "keep_recent_count": pick((0, 1, 2)),
            "preview_tokens": pick((0, 40, 120)),
            "group_token_threshold": pick((0, 600)),
            "compact_ratio_threshold": pick((0.0, 0.75)),
            "descriptor": pick(("pointer", "compact", "full")),
            "compact_roles": pick((["tool"], ["tool"], ["tool", "user"])),
            "target_tokens": pick((None, None, None, 700)),
        }

        def done(answer: Answer) -> None:
            if answer.status != 200 or not answer.is_enveloped():
                self.world.refusal(answer)
                self.world.say(f"{chat.name}: {answer.status} {str(answer.json)[:300]}")
                return
            gave_up = self._gave_up(chat, posted, answer)
            job.loose |= gave_up
            loose = clash or gave_up
            self._answered(chat, (posted, originals), answer, None if loose else asked)

        def lost() -> None:
            self.map.unanswered(chat, posted)

        def do(service: Service) -> Answer:
            return service.post("/context_offload", body)

        what = f"{chat.name} {did} ({body['context_manage_mode']})"
        job = Job(what, do, done, lost, asks=chat.name, loose=clash)
        return job

    def _gave_up(self, chat: Chat, posted: list[Message], answer: Answer) -> bool:
        """True where the client's own messages came back, since a deletion took a file that the
        answer had named."""
        said = [warning for warning in answer.warnings if _UNCHANGED in warning]
        if not said:
            return False
        self.world.refused["the messages are unchanged"] += 1
        if not self.world.deleting or answer.json["messages"] != posted:
            self.world.say(f"{chat.name}: {said}")
        return True

    def _answered(
        self,
        chat: Chat,
        sent: tuple[list[Message], list[Message]],
        answer: Answer,
        asked: set[str] | None,
    ) -> None:
        posted, originals = sent
        messages, report = answer.json["messages"], answer.metadata["report"]
        self.world.counts["acknowledged"] += 1
        self.world.counts[report["outcome"]] += 1
        if foreign := marks(messages) - marks(sent):
            self.world.say(f"{chat.name}: the answer has words of another chat: {foreign}")
        self.map.messages |= {digest(message) for message in [*messages, *originals]}
        if asked is None:
            self.map.unanswered(chat, posted)
            return
        chat.messages = messages
        self.map.acknowledged(chat, answer, asked)
        self.receipts.append(Receipt(chat.name, messages, originals, frozenset(chat.needs)))
        self.turns.learn(chat, messages)
        self.reads.receipt(self.receipts[-1])

    def twins(self, chat: Chat) -> list[Job]:
        """A history is posted to two services at once: both give the same answer."""
        first = self.post(chat)
        answers: list[list[Message]] = []

        def done(answer: Answer) -> None:
            answers.append(answer.json["messages"])
            if len(answers) == 2 and answers[0] != answers[1]:
                self.world.say(f"{chat.name}: two services gave the same post other answers")
            first.done(answer)

        second = Job(f"{first.what}, at the same time", first.do, done, first.lost, asks=chat.name)
        return [Job(first.what, first.do, done, first.lost, asks=chat.name), second]

    # Results that belong to no chat.

    def result(self, brief: bool = False) -> Job:
        """A large result comes before it enters a history."""
        self.brief += brief
        label = next(f"{n}" for n in range(99) if is_rows(f"{n}/{self.brief}{brief}"))
        label = f"{label}/{self.brief}{brief}"
        operation = f"brief{self.brief}" if brief else f"list{self.moment.randrange(3)}"
        content = result(label, operation)
        self.map.sends_rows(content)
        body: dict[str, Any] = {
            "operation": operation,
            "content": content,
            "output_dir": str(self.map.folder),
            "threshold_tokens": 100,
        }
        if brief:
            body["ttl_seconds"] = 1
        began = time.monotonic()

        def done(answer: Answer) -> None:
            if answer.status != 200 or "file" not in answer.metadata:
                self.world.say(f"{operation}: {answer.status} {str(answer.json)[:300]}")
                return
            self.world.counts["acknowledged"] += 1
            path = Path(answer.metadata["file"]["path"])
            if not path.exists() and not brief:
                self.world.say(f"{operation}: {path} was given out, and is not there")
                return
            if path.exists():
                file = self.map.file(path.name, path.read_bytes())
                file.state, file.free, file.call = LIVES, True, operation
                file.until = began + 1 if brief else None
                file.over = time.monotonic() + 1

        return Job(
            f"a result of {operation}",
            lambda service: service.post("/offload_result", body),
            done,
            lambda: None,
        )

    # Ends.

    def delete(self, chat: Chat, clash: bool = False) -> Job:
        """A chat is deleted, over HTTP or by the command."""
        if self.moment.random() < 0.3 and not clash:
            return self._delete_by_command(chat)
        address = f"/chats/{quote(chat.name, safe='')}?store_dir={quote(str(self.map.folder))}"

        def do(service: Service) -> Answer:
            status, said = service.ask("DELETE", address)
            return Answer(status, json.loads(said))

        return self._deleting(chat, "is deleted", do, clash)

    def _delete_by_command(self, chat: Chat) -> Job:
        dies = self.world.threat(0.5)

        def do(_: Service) -> Answer:
            answer = self.world.call("delete", chat.name, str(self.map.folder), dies=dies)
            return Answer(200 if answer.status == 0 else answer.status, answer.json)

        return self._deleting(chat, "is deleted by the command", do)

    def _deleting(self, chat: Chat, did: str, do: Any, clash: bool = False) -> Job:
        def done(answer: Answer) -> None:
            said = answer.metadata
            if answer.status != 200 or said["errors"] or not said["complete"]:
                wrong = {what: said.get(what) for what in ("errors", "complete", "error")}
                self.world.say(f"{chat.name} is not deleted: {answer.status} {wrong}")
            if clash:
                lost()
                return
            self.world.counts["deleted"] += 1
            owners = {file.name: set(file.ever) for file in self.map.files.values()}
            self.map.deleted(chat)
            for kept in said["kept"]:
                name = kept["path"].rsplit("/", 1)[1]
                others = owners.get(name, set()) - {chat.name}
                # Another chat's post may just be making an expired file again.
                known = kept["reason"] == "unknown_maker" and (name in self.map.planted or others)
                if not known and not (kept["reason"] == "shared" and others):
                    self.world.say(f"{chat.name}: {kept} stays, and was only of {owners.get(name)}")
            if self.moment.random() < 0.8:
                chat.forget()

        def lost() -> None:
            self.map.half_deleted(chat)

        return Job(f"{chat.name} {did}", do, done, lost, rank=0)
