"""Answers about 200 memories of the generated corpus, and its sister of 500."""

from collections import Counter, defaultdict
from datetime import datetime
from statistics import mean

from data import load

MEMORIES = load("lro/corpus_n200.json")
MORE = load("lro/corpus_n500.json")


def urgent_memories():
    return sum(memory["priority"] >= 4 for memory in MEMORIES)


def created_up_to_a_day():
    return sum(memory["created"][:10] <= "2024-06-18" for memory in MEMORIES)


def created_since_an_instant():
    since = datetime.fromisoformat("2024-06-18T08:00:00+02:00")
    created = (datetime.fromisoformat(m["created"].replace("Z", "+00:00")) for m in MEMORIES)
    return sum(instant >= since for instant in created)


def confidence_by_source():
    sources = defaultdict(list)
    for memory in MEMORIES:
        of = memory["provenance"]
        sources[of["source_type"]].append(of["confidence"])
    return [(source, round(mean(of), 3)) for source, of in sorted(sources.items())]


def confident_memories():
    return sum(memory["provenance"]["confidence"] > 0.9 for memory in MEMORIES)


def semantic_memories():
    return sum(memory["namespace"].startswith("_semantic/") for memory in MEMORIES)


def namespaces_of_both_files():
    here, there = (Counter(m["namespace"] for m in of) for of in (MEMORIES, MORE))
    return [(name, here[name], there[name]) for name in sorted(here) if name in there]


def pointers_to_archived():
    status = {memory["id"]: memory["status"] for memory in MEMORIES}
    targets = (link["target"] for memory in MEMORIES for link in memory["relationships"])
    return sum(status.get(target) == "archived" for target in targets)


def migration_and_security():
    return sum({"migration", "security"} <= set(memory["tags"]) for memory in MEMORIES)


def expired_memories():
    ends = (memory["temporal"]["valid_until"] for memory in MEMORIES)
    return sum(end is not None and end < "2025-06-01" for end in ends)


def valid_for_good():
    return sum(memory["temporal"]["valid_until"] is None for memory in MEMORIES)


def about_redis():
    return sum("redis" in memory["content"].lower() for memory in MEMORIES)


def modified_on_the_day_of_creation():
    return sum(memory["created"][:10] == memory["modified"][:10] for memory in MEMORIES)


def memories_per_month():
    return sorted(Counter(m["created"][:7] for m in MEMORIES if m["created"] >= "2025").items())


def surest_of_each_type():
    types = defaultdict(list)
    for memory in MEMORIES:
        types[memory["memory_type"]].append(memory["provenance"]["confidence"])
    return [(name, max(of)) for name, of in sorted(types.items())]


def third_page_of_titles():
    newest = sorted(MEMORIES, key=lambda memory: memory["created"], reverse=True)
    return [memory["title"] for memory in newest[20:30]]


def known_memories():
    asked = {
        "0321ecbb-5a87-4cda-95f2-032b73ebadf1",
        "7c4c32bf-92e7-4625-b466-da748a878cfe",
        "d1ac41e6-beac-4237-8045-c9015a82e01e",
        "00000000-0000-4000-8000-000000000000",
    }
    return len(asked & {memory["id"] for memory in MEMORIES})


def drafts():
    return sum(memory["status"] == "draft" for memory in MEMORIES)


def tags_of_active_memories():
    counts = Counter(tag for m in MEMORIES if m["status"] == "active" for tag in m["tags"])
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:3]
