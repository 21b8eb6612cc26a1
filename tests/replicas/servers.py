"""The stores that replicas share: a local folder, the stub, and real S3 servers, each started by
the test, killed by it, and started again on what the dead one left."""

import contextlib
import os
import random
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from s3 import BUCKET, S3, Side
from tally import Skipped

# The folder below which callers name their stores, whatever keeps them.
SEEN = Path("/chats")
PREFIX = "some/prefix"
_HERE = Path(__file__).parent
_READY_SECONDS = 60.0
# Below those that systems give to connections.
_PORTS = range(10_240, 32_000)
# Where tests/replicas/run installed the real servers.
_HOME = "UNBURDEN_REPLICAS_SERVERS"


class Store(ABC):
    """A store that replicas share."""

    @abstractmethod
    def root(self) -> Path:
        """The root that a replica is given."""

    @abstractmethod
    def settings(self) -> dict[str, str]:
        """The environment of a replica."""

    @abstractmethod
    def stop(self) -> None:
        """Ends whatever runs."""

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Local(Store):
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "shared"
        self.folder.mkdir(parents=True)

    def root(self) -> Path:
        return Path(f"{SEEN}={self.folder}")

    def settings(self) -> dict[str, str]:
        return {}

    def stop(self) -> None:
        pass


class Server(Store):
    """A server of S3, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "server"
        self.folder.mkdir(parents=True)
        self._ports = _free_ports(8)
        self._child: subprocess.Popen[str] | None = None
        self.start()

    @abstractmethod
    def command(self, ports: list[int]) -> list[str]:
        """The command that runs it; it listens on the first port."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._ports[0]}"

    @property
    def s3(self) -> S3:
        """A client of its own."""
        return S3(self.url)

    def root(self) -> Path:
        return SEEN

    def settings(self) -> dict[str, str]:
        return {
            "UNBURDEN_STORE__URL": f"s3://{BUCKET}/{PREFIX}",
            "UNBURDEN_STORE__ENDPOINT": self.url,
            "UNBURDEN_STORE__PATH_STYLE": "true",
            "UNBURDEN_STORE__REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "secret",
            # Nothing of this machine's own AWS is asked.
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def start(self) -> None:
        """Starts it, and waits until it takes objects."""
        with (self.folder.parent / "server.log").open("ab") as log:
            self._child = subprocess.Popen(
                self.command(self._ports),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                text=True,
                cwd=self.folder,
            )
        end = time.monotonic() + _READY_SECONDS
        while not self.s3.is_ready():
            if self._child.poll() is not None or time.monotonic() > end:
                said = (self.folder.parent / "server.log").read_text(errors="replace")[-1000:]
                raise RuntimeError(f"{type(self).__name__} did not start: {said}")
            time.sleep(0.1)

    def stop(self) -> None:
        """SIGKILL, at once."""
        if self._child:
            self._child.kill()
            self._child.wait(30)
            if self._child.stdin:
                self._child.stdin.close()
            self._child = None

    def ended(self, seconds: float) -> bool:
        """True if it ended by itself within that time."""
        try:
            return bool(self._child and self._child.wait(seconds))
        except subprocess.TimeoutExpired:
            return False


class Stub(Server):
    """The server of our own, whose objects outlive it."""

    def command(self, ports: list[int]) -> list[str]:
        stub, objects = str(_HERE / "stub.py"), str(self.folder / "objects")
        return [sys.executable, stub, "--folder", objects, "--port", str(ports[0])]

    @property
    def side(self) -> Side:
        """Its side path."""
        return Side(self.url)


class SeaweedFS(Server):
    """One process with the master, a volume server, the filer and the S3 gateway."""

    def command(self, ports: list[int]) -> list[str]:
        named = ("s3", "master", "volume", "filer")
        http = [f"-{name}.port={port}" for name, port in zip(named, ports[:4], strict=True)]
        grpc = [f"-{name}.port.grpc={port}" for name, port in zip(named, ports[4:], strict=True)]
        return [
            _installed("weed"),
            "server",
            "-dir=.",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            "-s3",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-master.telemetry=false",
            "-master.volumeSizeLimitMB=64",
            "-volume.max=40",
            *http,
            *grpc,
        ]


class Moto(Server):
    """moto's server, whose objects are in memory only. It looks for signatures, and checks none."""

    def command(self, ports: list[int]) -> list[str]:
        return [_installed("moto_server"), "-H", "127.0.0.1", "-p", str(ports[0])]


def _installed(program: str) -> str:
    home = os.environ.get(_HOME, "")
    path = Path(home, "bin", program)
    if not home or not path.exists():
        raise Skipped(f"{program} is not installed")
    return str(path)


def _free_ports(count: int) -> list[int]:
    """Ports that no connection is given as its own end while the server is away."""
    ports: list[int] = []
    for port in random.SystemRandom().sample(_PORTS, 50 * count):
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            ports.append(port)
    return ports[:count]


STORES: dict[str, Callable[[Path], Store]] = {
    "local": Local,
    "stub": Stub,
    "seaweedfs": SeaweedFS,
    "moto": Moto,
}
