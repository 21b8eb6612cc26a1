"""Tokens of `o200k_base`, counted by tiktoken: an opinion that is not the service's own.

tiktoken downloads its vocabulary; the npm package js-tiktoken holds the same one.
"""

import base64
import json
from functools import cache
from pathlib import Path

import tiktoken


@cache
def _encoding(ranks: Path) -> tiktoken.Encoding:
    kept = json.loads(ranks.read_text().removeprefix("export default ").strip().rstrip(";"))
    vocabulary: dict[bytes, int] = {}
    for line in filter(None, kept["bpe_ranks"].split("\n")):
        _, first, *tokens = line.split(" ")
        vocabulary |= {base64.b64decode(token): int(first) + n for n, token in enumerate(tokens)}
    return tiktoken.Encoding(
        "o200k_base",
        pat_str=kept["pat_str"],
        mergeable_ranks=vocabulary,
        special_tokens=kept["special_tokens"],
    )


class Counter:
    """Counts by the vocabulary that js-tiktoken has under `node_modules`."""

    def __init__(self, node_modules: Path) -> None:
        self._encoding = _encoding(node_modules / "js-tiktoken/dist/ranks/o200k_base.js")
        # Counts known from OpenAI's own examples: a vocabulary read wrongly counts otherwise.
        known = {"tiktoken is great!": 6, "antidisestablishmentarianism": 6, "2 + 2 = 4": 7}
        for text, tokens in known.items():
            assert self(text) == tokens, (text, self(text))

    def __call__(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(text))
