"""The README's example of the HTTP service, with one setting more: the store's URL.

The server and the credentials are those of the environment, as for the tools of AWS. Promised: the
example prints what the README says, its file is in the bucket, and none is on the disk."""

import os
import re
import signal
import socket
import subprocess
from pathlib import Path

from contents import name_of
from s3 import BUCKET
from servers import Server, Store
from service import clean
from tally import Bench

_README = Path(__file__).parents[2] / "README.md"
_SECTION = "## Quick start: HTTP service"
_SECONDS = 180.0
_WAIT = "until unburden healthcheck; do sleep 0.2; done"


def _blocks(kind: str) -> list[str]:
    section = _README.read_text().split(_SECTION)[1].split("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)```", section, re.DOTALL)


def _free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def _run(bench: Bench, store: Server, folder: Path) -> str:
    """The lines that the example prints."""
    port, bins = _free_port(), folder / "bin"
    bins.mkdir(parents=True)
    (bins / "unburden").symlink_to(bench.program)
    blocks = (block + (_WAIT if "serve &" in block else "") for block in _blocks("sh"))
    script = "\n".join(["set -eu", *blocks]).replace("127.0.0.1:8002", f"127.0.0.1:{port}")
    given = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_EC2_METADATA_DISABLED")
    known = {name: value for name, value in store.settings().items() if name in given}
    env = known | {
        "PATH": f"{bins}:{os.environ['PATH']}",
        "PORT": str(port),
        "UNBURDEN_URL": f"http://127.0.0.1:{port}",
        "AWS_ENDPOINT_URL": store.url,
        "UNBURDEN_STORE__URL": f"s3://{BUCKET}/readme",
    }
    said = folder / "said"
    with said.open("wb") as out:
        shell = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=clean(env),
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            status: int | None = shell.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
    bench.tally.hold(status == 0, f"the example ends with {status}: {said.read_text()[-300:]}")
    return said.read_text()


def check(bench: Bench, store: Store) -> None:
    """Runs it, and looks at the bucket."""
    assert isinstance(store, Server)
    folder = Path(bench.folder) / "example"
    said = _run(bench, store, folder)
    promised = [line for block in _blocks("text") for line in block.splitlines()]
    for line in promised:
        bench.tally.hold(line in said, f"the README promises {line!r}")
    bench.tally.note("lines as promised", len(promised))
    keys = [key for key in store.s3.keys("readme/") if name_of(key) == "tool_call_1.txt"]
    bench.tally.note("files in the bucket", len(keys))
    bench.tally.hold(len(keys) == 1, "the file is not in the bucket")
    here = (folder / "context_store").exists()
    bench.tally.hold(not here, "the store is on the disk as well")
