"""The README's blocks: they are Python, and what they import from this package exists."""

from __future__ import annotations

import ast
import importlib
import re
import unittest
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


class Readme(unittest.TestCase):
    def test_blocks(self) -> None:
        blocks = BLOCK.findall(README.read_text("utf-8"))
        self.assertGreater(len(blocks), 13)
        for block in blocks:
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and node.module:
                    with self.subTest(node.module):
                        self._has(node.module, [alias.name for alias in node.names])

    def _has(self, module: str, names: list[str]) -> None:
        try:
            made = importlib.import_module(module)
        except ImportError as error:
            self.assertNotIn("unburden", str(error.name))
            self.skipTest(f"{error.name} is not installed")
        for name in names:
            self.assertTrue(hasattr(made, name), f"{module} has no {name}")
