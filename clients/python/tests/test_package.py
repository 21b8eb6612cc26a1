"""The package as a person meets it."""

from __future__ import annotations

import pydoc
import re
import sys
import unittest
from pathlib import Path
from unittest import mock

import unburden

ROOT = Path(__file__).resolve().parent.parent


class Package(unittest.TestCase):
    def test_help_is_short(self) -> None:
        lines = pydoc.plain(pydoc.render_doc(unburden)).splitlines()
        self.assertLess(len(lines), 70)

    def test_a_missing_framework_names_its_extra(self) -> None:
        # None in the place of a module is how Python marks one that is missing.
        with mock.patch.dict(sys.modules, {"strands": None}):
            sys.modules.pop("unburden.adapters.strands", None)
            with self.assertRaisesRegex(ModuleNotFoundError, r'pip install "unburden\[strands\]"'):
                import unburden.adapters.strands  # noqa: F401

    def test_the_extras_that_adapters_name_are_those_of_the_package(self) -> None:
        sources = (ROOT / "src/unburden/adapters").glob("*.py")
        named = {
            name
            for source in sources
            for name in re.findall(r'^with needs\("(.*)"\)', source.read_text(), re.M)
        }
        _, _, extras = (ROOT / "pyproject.toml").read_text().partition("[project.optional-dependencies]\n")
        self.assertEqual(named, set(re.findall(r"^([\w-]+) = ", extras.partition("\n\n")[0], re.M)))
