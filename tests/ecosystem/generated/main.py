"""Generates a Python and a TypeScript client from the contract, and calls the service with each."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONTRACT = HERE.parents[2] / "openapi.yaml"
# The generator makes no client for an answer in YAML.
EXPECTED = "Unsupported content_type application/yaml"


def _run(*command: object, cwd: Path, **more: str) -> str:
    """Runs a command; its output, or a `RuntimeError` with it."""
    words = [str(word) for word in command]
    environment = {**os.environ, **more}
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {said[-2000:]}")
    return said


def _python(home: Path, work: Path, url: str) -> None:
    tool = home / "venv/bin/openapi-python-client"
    config = work / "config.yaml"
    config.write_text("post_hooks: []\n")
    said = _run(
        tool, "generate", "--path", CONTRACT, "--meta", "none", "--output-path",
        work / "generated", "--config", config, cwd=work,
    )
    dropped = [line for line in said.splitlines() if "Unable to" in line or "Cannot" in line]
    if any(EXPECTED not in line for line in dropped):
        raise RuntimeError(f"the generator left something out: {said[-2000:]}")
    shutil.copy(HERE / "calls.py", work)
    _run(home / "venv/bin/python", "calls.py", url, cwd=work)


def _typescript(home: Path, work: Path, url: str) -> None:
    node = home / "node/node_modules/.bin"
    (work / "node_modules").symlink_to(home / "node/node_modules")
    (work / "package.json").write_text('{"type": "module"}')
    _run(node / "openapi-typescript", CONTRACT, "-o", work / "schema.ts", cwd=work)
    shutil.copy(HERE / "calls.ts", work)
    _run(
        node / "tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck",
        "calls.ts", cwd=work,
    )
    _run("node", "calls.js", url, cwd=work)


def main(binary: str, home: Path) -> int:
    failures = 0
    with tempfile.TemporaryDirectory(prefix="unburden-generated-") as folder:
        root = Path(folder)
        with (root / "service.log").open("wb") as log:
            service = subprocess.Popen(
                [binary, "serve", "--listen", "127.0.0.1:0"],
                cwd=root, stdout=subprocess.PIPE, stderr=log, text=True,
            )
        try:
            assert service.stdout is not None
            url = service.stdout.readline().strip().removeprefix("listening on ")
            for name, generate in (("python", _python), ("typescript", _typescript)):
                work = root / name
                work.mkdir()
                try:
                    generate(home, work, url)
                    print(f"{name}: generated, compiled and called")
                except (RuntimeError, OSError) as error:
                    failures += 1
                    print(f"FAIL {name}: {error}")
        finally:
            service.terminate()
            service.wait(timeout=30)
    print(f"{2 - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
