"""Runs the examples of the Python client: real frameworks, real loops, the real service, a scripted model.

    python main.py path/to/unburden [--only FRAMEWORK]

Exit status: 0 all passed, 1 a failure.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLIENT = HERE.parents[3] / "clients" / "python"
sys.path[:0] = [str(HERE.parents[1]), str(CLIENT / "src"), str(CLIENT / "examples")]

from service import Service  # noqa: E402
from trial import KINDS, Framework, Outcome, Trial, quiet  # noqa: E402

FRAMEWORKS = [
    Framework("langchain", "langchain", "grep"),
    Framework("langgraph", "langgraph", "read_tool_result", unseen=60),
    Framework("openai_agents", "openai-agents", "read_file"),
    Framework("pydantic_ai", "pydantic-ai-slim", "lro_extract"),
    Framework("adk", "google-adk", "lro_extract of guests"),
    Framework("strands", "strands-agents", "read_tool_result"),
    Framework("agentscope", "agentscope", "grep"),
    Framework("crewai", "crewai", "lro_extract"),
    Framework("llama_index", "llama-index-core", "read_file"),
    Framework("autogen", "autogen-agentchat", "lro_extract", unseen=60),
    Framework("litellm", "litellm", "read_tool_result"),
    Framework("agno", "agno", "lro_extract of guests", snapshots=False),
    Framework("haystack", "haystack-ai", "grep"),
    Framework("agent_framework", "agent-framework-core", "read_file", unseen=60),
]
HEAD = "framework|version|run|model calls|raw tokens|largest seen|budget|reload tools|s|ok".split("|")


def main() -> int:
    """Runs what the command line asks for; the exit status."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("binary", type=Path)
    arguments.add_argument("--only", choices=[framework.name for framework in FRAMEWORKS])
    asked = arguments.parse_args()
    quiet()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="unburden-agents-") as root:
        # The store of an example is relative to where the service runs.
        os.chdir(root)
        judge = Service(asked.binary, Path(root))
        try:
            wanted = [framework for framework in FRAMEWORKS if asked.only in (None, framework.name)]
            outcomes = [one for framework in wanted for one in _all(framework, asked.binary, judge)]
        finally:
            judge.close()
            os.chdir("/")
    failed = [outcome for outcome in outcomes if outcome.problems]
    for outcome in failed:
        for problem in outcome.problems:
            print(f"FAILED {outcome.framework}, {outcome.kind}: {problem}")
    print(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed else 0


def _all(framework: Framework, binary: Path, judge: Service) -> list[Outcome]:
    began = time.monotonic()
    module = importlib.import_module(f"{framework.name}_agent")
    # Some frameworks set filters of their own.
    warnings.simplefilter("ignore")
    print(f"# {framework.name}: imported in {time.monotonic() - began:.1f} s", flush=True)
    outcomes = []
    raw = 0
    # The control goes first: it says how large the history is that the others keep small.
    for kind in KINDS:
        began = time.monotonic()
        outcome = Trial(framework, kind, module, binary, judge).run()
        raw = outcome.largest if kind.name == "control" else raw
        outcomes.append(outcome)
        _row(framework, outcome, raw, time.monotonic() - began)
    return outcomes


_headed = False


def _row(framework: Framework, outcome: Outcome, raw: int, seconds: float) -> None:
    global _headed
    widths = (15, 8, 8, 12, 11, 13, 7, 27, 4, 3)
    row = (
        framework.name,
        version(framework.package),
        outcome.kind,
        outcome.calls,
        raw,
        outcome.largest,
        outcome.budget or "-",
        ", ".join(outcome.reloads) or "-",
        f"{seconds:.1f}",
        "no" if outcome.problems else "yes",
    )
    for cells in [row] if _headed else [HEAD, row]:
        spread = (str(cell).ljust(width) for cell, width in zip(cells, widths, strict=True))
        print("  ".join(spread).rstrip(), flush=True)
    _headed = True


if __name__ == "__main__":
    sys.exit(main())
