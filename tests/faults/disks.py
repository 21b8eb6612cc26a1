"""Disks to break: an ext4 image on a loop device, and small file systems in memory."""

import fcntl
import os
import struct
from pathlib import Path

from bench import does, must

_SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
_WITHOUT_LOG_FLUSH = 2


class Ext4:
    """An image of its own. Nothing reaches it by itself: the journal's commit waits for five
    minutes, so that only what was synced is there after a cut."""

    def __init__(self, folder: Path, megabytes: int = 96) -> None:
        self.image, self.at = folder / "disk.img", folder / "disk"
        self.at.mkdir()
        with self.image.open("wb") as image:
            image.truncate(megabytes << 20)
        must("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=1", str(self.image))

    def mount(self) -> None:
        """Mounts it; what its journal holds is replayed."""
        options = "loop,data=ordered,commit=300,noauto_da_alloc"
        must("mount", "-t", "ext4", "-o", options, str(self.image), str(self.at))

    def cut(self) -> None:
        """The power goes: from now on nothing is written, not even the journal."""
        handle = os.open(self.at, os.O_RDONLY)
        try:
            fcntl.ioctl(handle, _SHUTDOWN, struct.pack("I", _WITHOUT_LOG_FLUSH))
        finally:
            os.close(handle)

    def unmount(self) -> None:
        """Takes it away; lazily where somebody still sits in it."""
        if not does("umount", str(self.at)):
            must("umount", "-l", str(self.at))


class Tmpfs:
    """A file system in memory that is soon full."""

    def __init__(self, at: Path, options: str) -> None:
        self.at = at
        must("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(at))

    def fill(self) -> Path:
        """Takes all the space that is left."""
        ballast = self.at / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while file.write(b"\0" * 65_536):
                    pass
            except OSError:
                return ballast
        return ballast

    def fill_inodes(self) -> list[Path]:
        """Takes all the names that are left."""
        made: list[Path] = []
        try:
            for n in range(100_000):
                made.append(self.at / f"ballast{n}")
                made[-1].touch()
        except OSError:
            made.pop()
        return made

    def unmount(self) -> None:
        """Takes it away."""
        does("umount", "-l", str(self.at))


def loop_devices() -> str | None:
    """Why no image can be mounted, where that is so."""
    if os.geteuid() != 0:
        return "needs root"
    return None if does("losetup", "-f") and does("which", "mkfs.ext4") else "needs loop devices"


def memory_disks() -> str | None:
    """Why nothing can be mounted, where that is so."""
    if os.geteuid() != 0:
        return "needs root"
    ours = does("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt")
    return None if ours else "needs the right to mount"
