"""Contents that are changed in the bucket by hand: the control of all other checks.

Promised: a content that was cut, flipped, emptied or deleted is never given out as whole."""

from agents import dice
from contents import name_of, torn
from fleet import Fleet
from ledger import Ledger
from servers import PREFIX, SEEN, Server, Store
from tally import Bench


def check(bench: Bench, store: Store) -> None:
    """Each loss is seen: by the look at the bucket, and by replicas without a cache."""
    assert isinstance(store, Server)
    tally, s3 = bench.tally, store.s3
    with Fleet(bench, store, count=1) as fleet:
        fleet.warm()
        ledger = Ledger(fleet, tally, str(SEEN / "planted"))
        for number in range(8):
            ledger.post(f"p{number}x", dice(f"p{number}"))
    keys = [key for key in s3.keys(f"{PREFIX}/") if (name_of(key) or "").startswith("tool_call_")]
    assert len(keys) >= 4, keys
    harms = (
        lambda held: held[: len(held) // 2],
        lambda held: held[:40] + bytes([held[40] ^ 1]) + held[41:],
        lambda _: b"",
        lambda _: None,
    )
    for key, harm in zip(keys, harms, strict=False):
        held = s3.get(key)
        assert held
        if (changed := harm(held)) is None:
            s3.delete(key)
        else:
            s3.put(key, changed)
    seen, _ = torn(s3)
    tally.note("seen in the bucket", f"{len(seen)} of 3")
    tally.hold(len(seen) == 3, f"the look at the bucket sees {seen}")
    # Other machines, without what was written in their caches.
    with Fleet(bench, store, count=2, env={"UNBURDEN_STORE__CACHE_BYTES": "0"}) as fleet:
        ledger.fleet = fleet
        lost = ledger.lost(ledger.kept, fleet.all[1])
        named = {name_of(key) for key in keys[:4]}
        found = {name for name in named if any(name in fault for fault in lost)}
        tally.note("seen by a replica", f"{len(found)} of 4")
        tally.hold(found == named, f"given out as whole: {sorted(named - found)}")
