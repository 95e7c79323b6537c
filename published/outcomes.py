"""What every published table has in common, and a published figure beside ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sari.published.checkouts import Repository


class Outcome(NamedTuple):
    """A figure as it was published, and as it comes out here.

    Attributes:
        name: of the system, or of what is measured.
        published: as it was printed; empty for what was not.
        ours: the same at full precision.
        recipe: how it is computed: a signature, where it is a SARI or made of one.
        interval: around ours; None for none.
    """

    name: str
    published: str
    ours: float
    recipe: str
    interval: tuple[float, float] | None = None

    @property
    def digits(self) -> int:
        """How many digits stand behind the point of what was published."""
        return len(self.published.partition(".")[2]) if self.published else 3

    @property
    def shown(self) -> str:
        """Our figure with as many digits as the published one.

        >>> Outcome("a", "37.91", 37.9193, "").shown
        '37.92'
        """
        return self.rounded(self.ours)

    @property
    def differs(self) -> bool:
        """Whether the two differ in the digits that were printed."""
        return bool(self.published) and self.shown != self.published

    def rounded(self, value: float) -> str:
        """Return a number with as many digits as the published one."""
        text = f"{value:.{self.digits}f}"
        return text.removeprefix("-") if not float(text) else text


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published table or figure.

    Attributes:
        name: by which it is asked for.
        title: the paper and the place in it.
        paper: where it can be read.
        repositories: those that hold the texts.
        recipe: how it is computed, in words.
        note: what else one should know; may be empty.
    """

    name: str
    title: str
    paper: str
    repositories: tuple[Repository, ...]
    recipe: str
    note: str = ""

    def outcomes(self, folder: Path) -> Iterator[Outcome]:
        """Compute it from what the user downloaded.

        Args:
            folder: a checkout of the repository, or one that holds checkouts of all of them under their own names.

        Raises:
            FileError: for files that are missing or cannot be read.
            ValueError, TypeError, ImportError: for what the recipe needs and this machine lacks.
        """
        raise NotImplementedError
