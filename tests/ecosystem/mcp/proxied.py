"""The proxy in front of every server, each with clients of different make."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from behind.bench import Bench
from behind.everything import behind_everything
from behind.filesystem import behind_filesystem, fill
from behind.newest import behind_newest
from behind.sqlite import behind_sqlite
from client import Sdk
from score import Score
from tokens import Counter
from upstreams import OverHttp


def every(
    score: Score, count: Counter, binary: Path, home: Path, root: Path, sdks: list[Sdk]
) -> None:
    """All servers; SDKs that know the newest version of the protocol ask for it."""
    bench = Bench(score, count, binary, home, root, sdks)
    fill(bench.files)
    python, typescript = sdks[1], sdks[2]
    everything = bench.servers.everything("streamableHttp")
    with (
        OverHttp(lambda _: everything, root / "everything.log") as url,
        OverHttp(bench.servers.newest, root / "newest.log") as newest,
    ):
        runs: list[tuple[str, Callable[[], None]]] = [
            ("filesystem", lambda: behind_filesystem(bench, sdks[3])),
            ("filesystem", lambda: behind_filesystem(bench, python)),
            ("everything", lambda: behind_everything(bench, typescript, None)),
            ("everything", lambda: behind_everything(bench, python, None)),
            ("everything over HTTP", lambda: behind_everything(bench, sdks[3], url)),
            ("newest", lambda: behind_newest(bench, sdks[1], None)),
            ("newest over HTTP", lambda: behind_newest(bench, sdks[3], newest)),
            ("sqlite", lambda: behind_sqlite(bench, sdks[0])),
        ]

        def run(row: tuple[str, Callable[[], None]]) -> None:
            with score.check(f"proxy, {row[0]}: sessions"):
                row[1]()

        with ThreadPoolExecutor(3) as pool:
            list(pool.map(run, runs))
