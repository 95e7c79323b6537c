"""Bring the public repositories of research/repositories.csv with git: `python research fetch FOLDER`."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sari.messages import RefusedValueError
from sari.research.files import REPOSITORIES, read_table

#: Files of other commits are not brought, nor any before they are checked out.
_CLONE = ("clone", "--quiet", "--filter=blob:none", "--no-checkout")


def fetch_repositories(folder: Path) -> None:
    """Bring each repository that the folder lacks, at the commit from which the stored figures were computed.

    A repository is put into the folder when it is complete.

    Raises:
        FileNotFoundError: without git.
        ValueError: for a repository that git cannot bring.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for repository, commit in read_table(REPOSITORIES).itertuples(index=False):
        target = folder / repository.split("/")[1]
        if target.exists():
            print(f"{target}: is there already", file=sys.stderr)
            continue
        print(f"{target}: commit {commit} of https://github.com/{repository}", file=sys.stderr)
        with TemporaryDirectory(dir=folder, prefix=".fetch-") as parts:
            checkout = Path(parts, target.name)
            _git(repository, *_CLONE, f"https://github.com/{repository}", str(checkout))
            _git(repository, "-C", str(checkout), "checkout", "--quiet", commit)
            checkout.rename(target)


def _git(repository: str, *arguments: str) -> None:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["git failed"])[-1]
        raise RefusedValueError(f"{repository}: {reason[:120]}")
