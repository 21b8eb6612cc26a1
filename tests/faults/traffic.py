"""Clients that post without pause until the service is gone or they are told to stop."""

import threading
from pathlib import Path

import histories
from receipts import Receipt, Receipts, of_chat, of_result
from service import Answer, Gone, Service, together


def chat_once(service: Service, chat: str, folder: Path, mode: str | None = None) -> Answer:
    """Posts a chat."""
    return service.post("/context_offload", histories.offload(chat, str(folder), mode))


def result_once(service: Service, call: str, folder: Path) -> Answer:
    """Posts a large result."""
    return service.post("/offload_result", histories.large(call, str(folder)))


def post(service: Service, name: str, folder: Path) -> tuple[Answer, Receipt | None]:
    """Posts what the name says: every third is a large result, the others are chats."""
    if histories.number(name, 3) == 0:
        answer = result_once(service, name, folder)
        return answer, of_result(name, answer)
    answer = chat_once(service, name, folder)
    return answer, of_chat(name, answer) if answer.status == 200 else None


class Traffic:
    """Threads of clients; what they were answered, and what they were not."""

    def __init__(
        self, service: Service, folder: Path, tag: str, receipts: Receipts, clients: int = 3
    ) -> None:
        self._service, self._folder, self._tag = service, folder, tag
        self._receipts = receipts
        self._stop = threading.Event()
        self.posted = 0
        self.answered = 0
        self.unanswered: list[str] = []
        self.reasons: list[str] = []
        self.bad: list[str] = []
        self._lock = threading.Lock()
        self._threads = together(clients, self._client)

    def _client(self, client: int) -> None:
        for n in range(100_000):
            if self._stop.is_set():
                return
            name = f"{self._tag}c{client}n{n}"
            with self._lock:
                self.posted += 1
            try:
                answer, receipt = post(self._service, name, self._folder)
            except Gone as gone:
                with self._lock:
                    self.unanswered.append(name)
                    self.reasons.append(f"{name}: {gone}")
                return
            if receipt:
                self._receipts.add(receipt)
            with self._lock:
                self.answered += 1
                if answer.status != 200 or not answer.is_enveloped():
                    self.bad.append(f"{name}: {answer.status} {str(answer.json)[:200]}")

    @staticmethod
    def once(service: Service, folder: Path, name: str, receipts: Receipts) -> str | None:
        """Posts one name; says what was wrong with the answer."""
        answer, receipt = post(service, name, folder)
        if receipt:
            receipts.add(receipt)
        return None if receipt else f"{name} posted again: {answer.status} {answer.json}"[:300]

    def stop(self) -> None:
        """Lets every client finish what it is at."""
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
