"""Ways to spell a path that leads out of a root, or that poses as one that does not."""

from __future__ import annotations

from collections.abc import Iterator

from tree import LRO_NAME, SEEN, Tree

TARGETS = ("outside/secret.txt", "outside", "root-evil/secret.txt", f"outside/{LRO_NAME}")

# What stands for "..", or is taken for it by a reader that decodes once too often.
CLIMBS = (
    "..",
    "./..",
    ".././.",
    "..//",
    "%2e%2e",
    "%2E%2E",
    ".%2e",
    "..%2f..%2f",
    "..%5c",
    "%252e%252e",
    "%c0%ae%c0%ae",
    "%e0%80%ae%e0%80%ae",
    "%u002e%u002e",
    "\\u002e\\u002e",
    "&#46;&#46;",
    "\u2024\u2024",
    "\u2025",
    "\uff0e\uff0e",
    "\ufe52\ufe52",
    "\u2024.",
    ".\u200b.",
    "..\u200b",
    "\u202e..",
    "..\u0301",
    "..;",
    ".. ",
    " ..",
    "..\t",
    "..\x00",
    "..\n",
    "..\r\n",
    "...",
    "....",
    "....//",
    "..\\",
    "..\\/",
    "\\..",
    "..:",
    "..|",
    "{..,.}",
    "[.][.]",
    "?" * 2,
    ".*",
    "*/..",
)

# What stands for "/".
SLASHES = (
    "\u2215",
    "\u2044",
    "\u29f8",
    "\uff0f",
    "%2f",
    "%252f",
    "%5c",
    "\\",
    "\x00/",
    "//",
    "///",
)


def _climbing(base: str) -> Iterator[str]:
    for climb in CLIMBS:
        yield f"{base}/{climb}/outside/secret.txt"
        yield f"{base}/store/{climb}/{climb}/outside/secret.txt"
    for slash in SLASHES:
        yield f"{base}{slash}..{slash}outside{slash}secret.txt"
        yield f"{base}/store{slash}..{slash}..{slash}outside{slash}secret.txt"
    for target in TARGETS:
        yield f"{base}/../{target}"
        yield f"{base}/store/../../{target}"
        yield f"{base}/no/such/folder/../../../../{target}"
        yield f"{base}/store/plain.txt/../../../{target}"
        yield f"{base}/./store/.././../{target}/"
    yield f"{base}x/secret.txt"
    yield f"{base}-evil/secret.txt"
    yield base + "/.." * 40 + "/etc/passwd"


def _through_links(tree: Tree) -> Iterator[str]:
    for link in tree.links():
        for tail in ("", "/", "/secret.txt", "/deep/secret.txt", "/../outside/secret.txt"):
            yield f"store/{link}{tail}"
        yield f"{SEEN}/store/{link}/outside/secret.txt"
        yield f"{SEEN}/store/./{link}/root-evil/../outside/secret.txt"
        yield f"{tree.root}/store/{link}//secret.txt/."
    outside = str(tree.outside).lstrip("/")
    for link in ("l_rootfs", "l_proc_root"):
        yield f"store/{link}/{outside}/secret.txt"
        yield f"store/{link}/etc/passwd"
    yield from (f"store/l_proc_fd/{n}" for n in range(3, 12))
    yield "store/l_back/store/plain.txt"
    yield "store/" + "l_self/" * 30 + "l_dir_abs/secret.txt"
    yield "store/" + "l_self/" * 60 + "plain.txt"


def _absolute(tree: Tree) -> Iterator[str]:
    secret = f"{tree.outside}/secret.txt"
    yield from (secret, str(tree.outside), f"/{secret}", f"//{secret}", f"/.{secret}")
    yield from (f"{tree.outside}/{LRO_NAME}", f"{tree.outside}/tool_call_9.txt")
    yield from (f"/..{secret}", f"/proc/self/root{secret}", f"/proc/1/root{secret}")
    yield from (f"/proc/thread-self/root{secret}", "/proc/self/cwd/../outside/secret.txt")
    yield from (f"{SEEN}{secret}", f"{SEEN}/{secret}", f"{tree.root}{secret}")
    yield from ("/", "//", "/.", "/..", "/etc", "/etc/passwd", "/etc/passwd/", "/etc/./passwd")
    yield from ("/etc/shadow", "/proc/self/environ", "/proc/self/maps", "/proc/self/mem")
    yield from ("/proc/self/fd/0", "/dev/fd/0", "/dev/stdin", "/dev/zero", "/dev/tty", "/dev/full")
    yield from ("/root/.ssh/id_rsa", "/sys/kernel/notes", "/var/log", "/tmp", "/home", "/run")


def _schemes(tree: Tree) -> Iterator[str]:
    secret = f"{tree.outside}/secret.txt"
    for scheme in ("file://", "file:", "FILE:///", "file://localhost", "file:////", "jar:file://"):
        yield scheme + secret
    yield from ("http://127.0.0.1/secret.txt", "\\\\127.0.0.1\\share\\secret.txt", "data:,fox")
    yield from ("~", "~/secret.txt", "~root/.bashrc", "~/../etc/passwd", "~+/../outside/secret.txt")
    yield from ("$HOME/.bashrc", "${PWD}/../outside/secret.txt", "$(cat ../outside/secret.txt)")
    yield from ("`cat ../outside/secret.txt`", "|cat ../outside/secret.txt", "-", "--help", "@-")
    yield from ("C:\\Windows\\win.ini", "C:/etc/passwd", "\\\\?\\C:\\x", "CON", "NUL", "aux.txt")
    yield from (f"'{secret}'", f'"{secret}"', f"<{secret}>", f"{secret}#x", f"{secret}?x=1")


def _globs() -> Iterator[str]:
    yield from ("../*", "../**", "**/../*", "../outside/*", "**/secret*", "store/**/secret.txt")
    yield from ("{../outside,store}/secret.txt", "[.][.]/outside/secret.txt", "..?outside/*")
    yield from ("store/l_*/secret.txt", "/**", "/etc/*", "**", "*", "!secret.txt", "**/..")
    yield from ("{a,b,../../outside/secret.txt}", "l_dir_abs/**", "*/*/*/secret.txt", "**/" * 50)


def _broken() -> Iterator[str]:
    yield from (
        " ",
        "\t",
        "\x00",
        "\n",
        "store/plain.txt\x00",
        "store\x00/../../outside/secret.txt",
    )
    yield from ("store/plain.txt\n", "\u00a0/etc/passwd", " /etc/passwd", "\ufeff/etc/passwd")
    yield from ("\x1b[2J/etc/passwd", "/etc/passwd\r", "../outside/secret.txt\x00.txt")
    yield from ("../" * 1300 + "etc/passwd", "a/" * 2040, "a" * 255, "a" * 256, "a" * 4096)
    yield from ("a" * 4097, "../" * 30_000, "./" * 2000 + "../outside/secret.txt", "n" * 65_536)
    yield from ("\u0000\u0000", "\u2028../outside/secret.txt", "\U0001f510", "e\u0301", "\ufffd")
    yield from (
        ".",
        "..",
        "...",
        "./",
        "../",
        ".//",
        "..//..//",
        "../..",
        "../../..",
        ". .",
        "...//",
    )


def corpus(tree: Tree) -> list[str]:
    """Every spelling once."""
    found: dict[str, None] = {}
    for base in (".", SEEN, str(tree.root), "store/.."):
        found.update(dict.fromkeys(_climbing(base)))
    for more in (_through_links(tree), _absolute(tree), _schemes(tree), _globs(), _broken()):
        found.update(dict.fromkeys(more))
    return list(found)
