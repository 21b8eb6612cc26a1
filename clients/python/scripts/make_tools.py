"""Makes `src/unburden/tools.json` from the one source of the tool definitions, `prompts/tools`.

python scripts/make_tools.py           writes the copy
python scripts/make_tools.py --check   exits with 1 where the copy differs
"""

import json
import sys
from pathlib import Path

ORDER = ["read_file", "grep", "lro_extract", "read_tool_result"]
_PACKAGE = Path(__file__).resolve().parent.parent
SOURCE = _PACKAGE.parent.parent / "prompts" / "tools"
COPY = _PACKAGE / "src" / "unburden" / "tools.json"


def generated() -> str:
    """The text that the copy should have: an array of the four definitions, in `ORDER`."""
    tools = [json.loads((SOURCE / f"{name}.json").read_text("utf-8")) for name in ORDER]
    return json.dumps(tools, ensure_ascii=False, indent=2) + "\n"


def main() -> int:
    """Writes or checks the copy; the exit status."""
    if "--check" in sys.argv[1:]:
        same = COPY.is_file() and COPY.read_text("utf-8") == generated()
        print("tools.json is the source's" if same else "tools.json differs: run scripts/make_tools.py")
        return 0 if same else 1
    COPY.write_text(generated(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
