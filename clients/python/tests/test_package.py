"""The package as a person meets it."""

from __future__ import annotations

import pydoc
import sys
import unittest
from unittest import mock

import unburden


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
