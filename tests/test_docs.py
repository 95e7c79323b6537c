"""The examples of the README and of the docstrings, and what the documents claim about the files."""

import doctest
import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("examples/*.md"))
#: The rooms of the package: the folders of modules, and the root.
ROOMS = [ROOT, *(path.parent for path in sorted(ROOT.glob("[a-z]*/**/__init__.py")))]
MODULES = sorted(
    ".".join(["sari", *path.relative_to(ROOT).with_suffix("").parts])
    for room in ROOMS
    for path in room.glob("*.py")
    if path not in (ROOT / "sari.py", room / "__init__.py")
)


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_readme():
    failures, examples = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (failures, examples > 10) == (0, True)


def test_rooms_are_found():
    assert {"sari.variants", "sari.files.reading", "sari.web.views.corpus"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_module(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_metric(sari):
    import evaluate

    hub = sys.modules[type(sari).__module__]
    results = doctest.testmod(hub, extraglobs={"evaluate": evaluate})
    assert (results.failed, results.attempted > 3) == (0, True)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_files(document):
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def test_ci_calls_the_readmes_test_command():
    command = re.search(r"passes the tests:\n\n```sh\n(.+)\n```", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert command is not None
    assert "passes the tests:" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_figure_shows_what_the_metric_says(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    figure = importlib.import_module("figure")
    assert figure.drawn(figure.scores()) == figure.FIGURE.read_text(encoding="utf-8")
