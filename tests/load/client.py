"""One client: sends a request, reads the answer, and says what came of it."""

from __future__ import annotations

import asyncio
import socket
import time
from dataclasses import dataclass

from service import Address

PIECE = 256 * 1024


@dataclass
class Answer:
    """What came back; `fault` says why nothing did. Times are of the monotonic clock."""

    began: float
    seconds: float
    status: int = 0
    retry: bool = False
    whole: bytes = b""
    fault: str = ""

    @property
    def ended(self) -> float:
        """When it was there."""
        return self.began + self.seconds

    def moved(self) -> bool:
        """Whether a chat was answered as it should be: results moved, messages came back."""
        head = self.whole[:400]
        created = b"Successfully created and wrote to new file" in head
        return self.status == 200 and head.startswith(b'{"success":true,') and created


async def ask(address: Address, request: bytes, patience: float) -> Answer:
    """An answer or a fault, after `patience` seconds at the latest."""
    began = time.monotonic()
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    client.setblocking(False)
    try:
        async with asyncio.timeout(patience):
            head, body = await _exchange(client, address, request)
    except TimeoutError:
        return Answer(began, time.monotonic() - began, fault="late")
    except OSError as error:
        return Answer(began, time.monotonic() - began, fault=type(error).__name__)
    finally:
        client.close()
    seconds = time.monotonic() - began
    status = int(head.split(b" ", 2)[1])
    return Answer(began, seconds, status, b"\r\nretry-after:" in head, body)


async def _exchange(client: socket.socket, address: Address, request: bytes) -> tuple[bytes, bytes]:
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, address)
    try:
        await loop.sock_sendall(client, request)
    except (ConnectionResetError, BrokenPipeError):
        # Who is refused may find the answer there all the same.
        pass
    return await receive(client, bytearray())


async def receive(client: socket.socket, said: bytearray) -> tuple[bytes, bytes]:
    """Head, in small letters, and body of the next answer; `said` has come already."""
    loop = asyncio.get_running_loop()
    while (end := said.find(b"\r\n\r\n")) < 0:
        said += await _more(loop, client)
    head = bytes(said[:end]).lower()
    length = int(head.split(b"\r\ncontent-length:", 1)[1].split(b"\r\n", 1)[0])
    body = said[end + 4 :]
    while len(body) < length:
        body += await _more(loop, client)
    return head, bytes(body)


async def _more(loop: asyncio.AbstractEventLoop, client: socket.socket) -> bytes:
    data = await loop.sock_recv(client, PIECE)
    if not data:
        raise ConnectionAbortedError("the line ended before the answer")
    return data
