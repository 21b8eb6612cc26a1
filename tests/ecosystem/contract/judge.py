"""One run of schemathesis, and what its report says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from program import Program

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "allow_header_conformance",
    "missing_required_header",
)
# What JSON-RPC refuses, it refuses with 200. Not every phase reads this setting.
REFUSES_WITH_200 = "POST /mcp"
SETTINGS = """
[[operations]]
include-path = "/mcp"
checks.negative_data_rejection.enabled = false
"""
SHOWN = 600
# Longest pass, in seconds: many times what a slow machine takes.
DEADLINE = 900


@dataclass
class Verdict:
    """What came out."""

    cases: int = 0
    operations: str = "0/0"
    failures: list[str] = field(default_factory=list)


def judge(
    program: Program,
    contract: Path,
    folder: Path,
    *options: str,
    token: str | None = None,
) -> Verdict:
    """Asks `program` what `contract` says it answers."""
    settings, report = folder / "schemathesis.toml", folder / "report.json"
    settings.write_text(SETTINGS)
    report.unlink(missing_ok=True)
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings)),
        *("run", str(contract), "--url", program.url, "--checks", ",".join(CHECKS)),
        *("--continue-on-failure", "--no-shrink", "--no-color", "--generation-database", "none"),
        *("--warnings", "off", "--report", "json", "--report-json-path", str(report)),
        *options,
    ]
    if token is not None:
        command += ["--header", f"Authorization: Bearer {token}"]
    # Where a report was written it has the last word; else its own words are all there is.
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            env=dict(os.environ),
            timeout=DEADLINE,
        )
    except subprocess.TimeoutExpired:
        return Verdict(failures=[f"not done after {DEADLINE} seconds: is the machine too slow?"])
    if not report.exists():
        return Verdict(failures=[f"no report: {(done.stdout + done.stderr)[-SHOWN:]}"])
    return _read(json.loads(report.read_text()))


def _read(report: dict[str, Any]) -> Verdict:
    operations = report["operations"]
    verdict = Verdict(
        cases=report["test_cases"]["generated"],
        operations=f"{operations['tested']}/{operations['selected']}",
    )
    if operations["tested"] != operations["selected"]:
        verdict.failures.append(f"only {verdict.operations} operations were asked")
    for kind in ("failures", "errors"):
        told = [found for found in report[kind] if not _refused_with_200(found)]
        verdict.failures += [json.dumps(found)[:SHOWN] for found in told]
    return verdict


def _refused_with_200(found: dict[str, Any]) -> bool:
    accepted = found.get("type") == "AcceptedNegativeData"
    return accepted and found.get("operations") == [REFUSES_WITH_200]
