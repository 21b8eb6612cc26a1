"""Stores that the rules cannot rely on are refused at the start, with the reason."""

import subprocess
from pathlib import Path

from fleet import Fleet
from servers import Store, Stub
from service import clean
from tally import Bench

_SECONDS = 90.0
_SOUND = {"atomic": True, "stale_lists": 0.0, "stale_reads": 0.0}
# How the stub is, and a word of the reason.
_BAD = {
    "conditional puts that are not atomic": ({"atomic": False}, "atomic"),
    "listings that lag behind": ({"stale_lists": 3.0}, "listed"),
    "reads that lag behind": ({"stale_reads": 3.0}, "read"),
}
# Faults of a sound store, which must not be taken for unsound.
_PASSING = {
    "lost replies": {"do": "lose", "kinds": ["put"], "every": 50},
    "each 10th 503": {"do": "fail", "status": 503, "every": 10},
    "conflicts": {"do": "fail", "status": 409, "conditional": True, "every": 7},
}


def _refusal(bench: Bench, settings: dict[str, str], root: Path) -> tuple[int | None, str]:
    """The exit status of a service that must not start, and what it says."""
    cache = {"UNBURDEN_STORE__CACHE_DIR": str(Path(bench.folder) / "cache")}
    command = [bench.program, "serve", "--listen", "127.0.0.1:0", "--root", str(root)]
    try:
        done = subprocess.run(
            command,
            env=clean(settings | cache),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return None, str(late.stdout or b"") + str(late.stderr or b"")
    return done.returncode, done.stdout + done.stderr


def check(bench: Bench, store: Store) -> None:
    """Unsound stores, no store, wrong settings; and sound ones that have a bad day."""
    assert isinstance(store, Stub)
    tally, settings, root = bench.tally, store.settings(), store.root()

    def refuse(what: str, env: dict[str, str], word: str) -> None:
        status, said = _refusal(bench, env, root)
        tally.add("refused")
        refused = status not in (0, None) and "listening" not in said
        tally.hold(refused, f"{what}: it starts, or hangs: {status} {said[-300:]}")
        told = word in said.lower() and "panicked" not in said
        tally.hold(told, f"{what}: refused without {word!r}: {said[-400:]}")

    for what, (manner, word) in _BAD.items():
        store.side.manner(**manner)
        refuse(what, settings, word)
        store.side.manner(**_SOUND)
    bucket = "s3://no bucket"
    refuse("a URL that is none", settings | {"UNBURDEN_STORE__URL": bucket}, bucket)
    nobody = {"UNBURDEN_STORE__ENDPOINT": "http://127.0.0.1:9"}
    refuse("no server", settings | nobody | {"UNBURDEN_STORE__TIMEOUT_SECONDS": "2"}, "s3://")
    store.side.rules({"do": "fail", "status": 403})
    refuse("credentials that are not accepted", settings, "s3://")
    for what, rule in _PASSING.items():
        store.side.rules(rule)
        try:
            with Fleet(bench, store, count=1):
                tally.add("accepted")
        except RuntimeError as error:
            tally.fail(f"{what}: a sound store is refused: {str(error)[-300:]}")
    store.side.rules()
