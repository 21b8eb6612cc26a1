"""The table: every SDK over every transport in every generation, then the proxy.

    main.py PROGRAM HOME

HOME is where `run` installed to. The last line is `N passed, N failed, N skipped`.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import controls
import door
import proxied
from agent import Settings
from client import Client, Sdk, over_http, over_stdio
from program import Served, knows
from reload import Reload
from score import Score
from tokens import Counter

NEWEST, LEGACY = "2026-07-28", "2025-11-25"
SET = Settings(prefix="cellar-2_", ceiling=3_000)


def sdks(home: Path) -> list[Sdk]:
    driver = str(Path(__file__).parent / "drivers/sdk.py")
    script = str(home / "node/sdk.mjs")
    return [
        Sdk("python 1", (str(home / "python-1/bin/python"), driver), (LEGACY,)),
        Sdk("python 2", (str(home / "python-2/bin/python"), driver), (LEGACY, NEWEST)),
        Sdk("typescript 1", ("node", script, "1"), (LEGACY,)),
        Sdk("typescript 2", ("node", script, "2"), (LEGACY, NEWEST)),
    ]


def walk(
    score: Score,
    count: Counter,
    binary: Path,
    url: str,
    root: Path,
    sdk: Sdk,
    way: str,
    generation: str,
    settings: Settings = Settings(),
) -> None:
    """One client from its first message to its last."""
    label = f"{sdk.name}, {way}, {generation}" + (", with a prefix" if settings.prefix else "")
    name = label.replace(", ", "-").replace(" ", "")
    status = root / f"{name}.status"
    command = [str(binary), "mcp", "--root", str(root)]
    with score.check(f"{label}: session"):
        child = over_stdio(command, status, **settings.environment())
        client = Client(sdk, over_http(url) if way == "http" else child, generation)
        try:
            Reload(score, label, client, root / f"store-{name}", count, settings).walk(generation)
        finally:
            ended = client.close()
        assert ended == 0, client.complaints()
        if way == "stdio":
            # The end of its input is how a client ends a server.
            assert set(status.read_text().split()) == {"0"}, status.read_text()
    score.say(label)


def with_settings(score: Score, count: Counter, binary: Path, root: Path, sdks: list[Sdk]) -> None:
    """Clients of a service whose operator names tools and bounds answers in another way."""
    root.mkdir()
    with (
        Served(binary, root, **SET.environment()) as served,
        ThreadPoolExecutor(2) as pool,
    ):
        rows = [(sdks[1], "stdio", NEWEST), (sdks[3], "http", NEWEST)]
        for run in [
            pool.submit(walk, score, count, binary, served.url, root, *row, SET) for row in rows
        ]:
            run.result()


def main(binary: Path, home: Path) -> int:
    score, count = Score(), Counter(home / "node/node_modules")
    all_sdks = sdks(home)
    with (
        tempfile.TemporaryDirectory(prefix="unburden-mcp-") as folder,
        ThreadPoolExecutor(3) as pool,
    ):
        root = Path(folder).resolve()
        with Served(binary, root) as served:
            rows = [
                (sdk, way, gen)
                for sdk in all_sdks
                for way in ("stdio", "http")
                for gen in sdk.generations
            ]
            # Clients meet in one service and in one root while they do so.
            runs = [pool.submit(walk, score, count, binary, served.url, root, *row) for row in rows]
            runs.append(
                pool.submit(controls.every_fault_is_seen, score, count, binary, root, all_sdks[2])
            )
            for run in runs:
                run.result()
            door.two_clients_at_once(score, served.url, root, all_sdks)
        with_settings(score, count, binary, root / "set", all_sdks)
        door.a_token_is_demanded(score, binary, root, all_sdks)
        if knows(binary, "proxy"):
            proxied.every(score, count, binary, home, root, all_sdks)
            controls.a_proxys_faults_are_seen(score, count, binary, home, root, all_sdks)
        else:
            score.skip(1, "this program has no command `proxy`")
    print(score.line())
    return 1 if score.failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
