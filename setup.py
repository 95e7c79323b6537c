"""What pyproject.toml cannot say: how the README looks on a page of the registry, and that builds are reproducible.

With the same SOURCE_DATE_EPOCH two builds of the same files are the same bytes, whatever the mask for new files. No
build keeps modules of an earlier one.
"""

import gzip
import os
import re
import tarfile
import tempfile
import zipfile
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist


class Modules(build_py):
    """The modules of the package, of which this file is none, though it lies beside them."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Return package, name and path of each module."""
        return [module for module in super().find_package_modules(package, package_dir) if module[1] != "setup"]


class Wheel(bdist_wheel):
    """A wheel whose files have the same mode on every machine."""

    def run(self) -> None:
        """Build the wheel, and write it again."""
        super().run()
        for _, _, path in self.distribution.dist_files:
            with zipfile.ZipFile(path) as archive:
                files = [(info, archive.read(info)) for info in archive.infolist()]
            with zipfile.ZipFile(path, "w") as archive:
                for info, data in files:
                    info.external_attr = 0o644 << 16
                    archive.writestr(info, data, zipfile.ZIP_DEFLATED)


class Sources(sdist):
    """A source distribution whose files have the same mode, owner and time on every machine."""

    def make_archive(self, base_name: str, *_: object, **__: object) -> str:
        """Write the folder of files that were collected, in the order of their names."""
        path, time = f"{base_name}.tar.gz", int(os.environ.get("SOURCE_DATE_EPOCH", "0")) or None
        folder = Path(self.distribution.get_fullname())
        with gzip.GzipFile(path, "wb", mtime=time) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
            for member in filter(Path.is_file, sorted(folder.rglob("*"))):
                info = archive.gettarinfo(member)
                info.mode = 0o755 if info.mode & 0o100 else 0o644
                info.uid, info.gid, info.uname, info.gname = 0, 0, "", ""
                info.mtime = info.mtime if time is None else time
                with member.open("rb") as data:
                    archive.addfile(info, data)
        return path


if __name__ == "__main__":
    readme = Path("README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        setup(
            long_description=re.sub(r"\A---\n.*?\n---\n", "", readme, flags=re.DOTALL),
            long_description_content_type="text/markdown",
            cmdclass={"build_py": Modules, "bdist_wheel": Wheel, "sdist": Sources},
            options={"build": {"build_base": folder}},
        )
