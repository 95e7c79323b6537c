"""The examples of documents and docstrings, and what the documents claim about the code."""

import doctest
import importlib
import re
import shlex
from itertools import chain

import pytest
from conftest import ROOT
from test_layout import LEAVES, PACKAGES, siblings

from sari.command_line.choices import LeftOutWarning
from sari.command_line.program import main
from sari.companion_measures.readability import EnglishMeasureWarning
from sari.data_warnings import CATEGORIES
from sari.ngram_statistics import COUNTINGS
from sari.significance import TESTS
from sari.text_checks import PROPERTIES
from sari.text_files.output_tables import RepeatedRowsWarning

FOLDERS = (".", "docs", "examples", "tests/data")
DOCUMENTS = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.md"))]
MODULES = [
    path.relative_to(ROOT)
    for path in sorted(chain(ROOT.glob("[!_]*.py"), *((ROOT / name).rglob("[!_]*.py") for name in PACKAGES)))
    if path.name != "sari.py" and ">>> " in path.read_text(encoding="utf-8")
]


def each_document_with(part):
    """Return what runs a test for each document with a part."""
    found = [path for path in DOCUMENTS if part in path.read_text(encoding="utf-8")]
    return pytest.mark.parametrize("document", found, ids=lambda path: path.relative_to(ROOT).as_posix())


# Examples are small, of which warnings say so.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@each_document_with(">>> ")
def test_examples_of_documents(document):
    if "spacy" in document.read_text(encoding="utf-8"):
        pytest.importorskip("spacy")
    results = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert (results.failed, results.attempted > 2) == (0, True)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_examples_of_modules(path):
    name = ".".join(("sari", *path.with_suffix("").parts))
    results = doctest.testmod(importlib.import_module(name))
    assert (results.failed, results.attempted > 0) == (0, True)


def anchors(document):
    """Return what the headings of a document are called in addresses."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_document_with("](")
def test_links_between_documents(document):
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", document.read_text(encoding="utf-8")):
        file = document.parent / target if target else document
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), f"{target}#{anchor}"


@each_document_with("```sh\n")
def test_files_that_commands_name_exist(document):
    commands = re.findall(r"^```sh\n(.*?)\n```", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    named = set(re.findall(r"\b(?:examples|benchmarks|docs|research)/[\w./]+", " ".join(commands)))
    assert not [name for name in named if not (ROOT / name).exists()]


def test_readme_links_every_document():
    text = text_of("README.md")
    assert not [path.name for path in (ROOT / "docs").glob("*.md") if f"(docs/{path.name}" not in text]


def test_readme_shows_what_its_command_prints(capsys):
    found = re.search(r" && python score\.py (.+)\n```\n```text\n((?:.*\n)+?)```", text_of("README.md"))
    main(shlex.split(found[1]))
    assert capsys.readouterr().out == found[2]


def test_documents_list_every_name():
    from sari.companion_measures.registry import MEASURES
    from sari.reports.formats import SENTENCE_FORMATS, TABLE_FORMATS
    from sari.reports.score_report import ScoreRow
    from sari.reports.score_tables import SHOWN

    categories = {*CATEGORIES, EnglishMeasureWarning.__name__, LeftOutWarning.__name__, RepeatedRowsWarning.__name__}
    listed = {
        "docs/warnings.md": {*categories, *(row.name.replace("|", "<code>&#124;</code>") for row in PROPERTIES)},
        "docs/variants.md": {f"| `{name}` |" for name in COUNTINGS},
        "docs/statistics.md": {f'`"{name}"`' for name in TESTS},
        "reports/score_report.py": {f'"{name}": ' for name in ScoreRow.__dataclass_fields__},
        "docs/measures.md": {f"`{measure.name}`" for measure in MEASURES},
        "docs/command_line.md": {f"`{name}`" for name in (*TABLE_FORMATS, *SENTENCE_FORMATS, *SHOWN)},
    }
    texts = {file: text_of(file) for file in listed}
    lacking = {file: [name for name in names if name not in texts[file]] for file, names in listed.items()}
    assert not any(lacking.values()), lacking
    assert {*re.findall(r"^\| `(\w+)` \|", texts["docs/warnings.md"], re.MULTILINE)} <= categories
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_*measur*.py"))
    functions = {row.name: row.function.rpartition(".")[2] for row in MEASURES}
    assert not [name for name, function in functions.items() if name not in tests and function not in tests]


def test_command_line_lists_every_flag(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "10000")  # flags are not broken into two lines
    main(["--help"])
    known, text = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)), text_of("docs/command_line.md")
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) == known


def test_imports_run_down_the_map_of_contributing():
    shipped = re.findall(r"^\| \w* ?\| `(\w+)\.py` \|", text_of("CONTRIBUTING.md"), re.MULTILINE)
    assert sorted(shipped) == sorted(["sari", *LEAVES])
    for place, name in enumerate(shipped):
        assert set(siblings(ROOT / f"{name}.py")) <= set(shipped[place + 1 :]), name


def test_contributing_names_what_there_is():
    files = [*ROOT.glob("*.py"), *(file for name in [*PACKAGES, "tests"] for file in (ROOT / name).glob("*.py"))]
    words = {word for file in files for word in [file.stem, *re.findall(r"\w+", file.read_text(encoding="utf-8"))]}
    names = re.findall(r"`([\w.]+)`", text_of("CONTRIBUTING.md"))
    assert not [name for name in names if name.removesuffix(".py").rpartition(".")[2] not in words]
