"""kill -9 of replicas, and of the server behind them, under load.

Promised: what any answer ever acknowledged reads back byte for byte through every replica. While
the server is away, messages come back unchanged with a warning. A content is whole or not there."""

import time

from agents import dice
from contents import torn
from fleet import Fleet
from ledger import Ledger, Load
from servers import SEEN, Local, SeaweedFS, Server, Store, Stub
from tally import Bench

_CLIENTS = 6
_A_FOLDER = 60
# A real server takes many seconds to be itself again.
_FULL: dict[type[Store], int] = {Local: 300, Stub: 300, SeaweedFS: 120}
# Of so many kills one is of the server.
_OF_SERVER = 4


def check(bench: Bench, store: Store) -> None:
    """Load, death, restart, and reading back, again and again."""
    moments, tally = dice("kill"), bench.tally
    of_server = 0
    with Fleet(bench, store) as fleet:
        fleet.warm()
        ledger = Ledger(fleet, tally, str(SEEN / "killed"))
        read = 0
        for cycle in range(bench.pick(8, _FULL[type(store)])):
            if cycle % _A_FOLDER == 0:
                ledger.folder = str(SEEN / f"killed{cycle}")
            with Load(ledger, f"k{cycle}x", _CLIENTS):
                time.sleep(moments.uniform(0.05, 0.5))
                if isinstance(store, Server) and cycle % _OF_SERVER == _OF_SERVER - 1:
                    store.stop()
                    time.sleep(moments.uniform(0, 0.5))
                    store.start()
                    of_server += 1
                else:
                    fleet.kill(moments.randrange(len(fleet.all)))
                time.sleep(moments.uniform(0, 0.2))
            fleet.revive()
            for fault in ledger.lost(ledger.kept[read:], fleet.any(moments)):
                tally.fail(f"cycle {cycle}: {fault}")
            read = len(ledger.kept)
        ledger.settle()
    tally.note("kills of replicas", fleet.kills)
    if isinstance(store, Server):
        tally.note("kills of the server", of_server)
        bad, whole = torn(store.s3)
        tally.note("torn", f"{len(bad)} of {whole + len(bad)}")
        for fault in bad:
            tally.fail(fault)
