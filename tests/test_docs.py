"""The examples of documents and docstrings, and what the documents claim about the code."""

import doctest
import importlib
import inspect
import re
import subprocess

import oracle
import pytest
from conftest import ROOT
from test_layout import LEAVES, relative_imports

from sari.data_warnings import CATEGORIES
from sari.ngram_statistics import COUNTINGS
from sari.variants import CHANGES, OPTIONS, VARIANTS, VERSION

DOCUMENTS = [
    path
    for folder in (".", "docs", "examples", "integrations", "tests/data")
    for path in sorted((ROOT / folder).glob("*.md"))
]
#: The folders of modules, the root among them.
FOLDERS = [
    ROOT,
    *(path.parent for path in sorted(ROOT.glob("[a-z]*/**/__init__.py")) if not {"build", "dist"} & set(path.parts)),
]
MODULES = [
    path.relative_to(ROOT)
    for folder in FOLDERS
    for path in sorted(folder.glob("[!_]*.py"))
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


def first_cells(text):
    """Return what stands between backticks at the beginning of the rows of tables."""
    return re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)


def section(text, title):
    """Return what stands under a heading, up to the next one of its level."""
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, title
    level, rest = found.groups()
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


# ---- Examples -------------------------------------------------------------------------------------------------------


@each_document_with(">>> ")
def test_examples_of_documents(document):
    results = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert (results.failed, results.attempted > 5) == (0, True)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_examples_of_modules(path):
    name = ".".join(("sari", *path.with_suffix("").parts))
    results = doctest.testmod(importlib.import_module(name))
    assert (results.failed, results.attempted > 0) == (0, True)


# ---- Links ----------------------------------------------------------------------------------------------------------


def anchors(document):
    """Return what the headings of a document are called in addresses."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_document_with("](")
def test_links_between_files(document):
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", document.read_text(encoding="utf-8")):
        file = document.parent / target if target else document
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), f"{target}#{anchor}"


@each_document_with("```sh\n")
def test_text_files_that_commands_name(document):
    commands = re.findall(r"^```sh\n(.*?)\n```", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    named = set(re.findall(r"\b(?:examples|benchmarks|docs)/[\w./]+", " ".join(commands)))
    assert not [name for name in named if not (ROOT / name).exists()]


# ---- The README -----------------------------------------------------------------------------------------------------


def test_readme_is_a_metric_card():
    wanted = ["Metric description", "How to use", "Inputs", "Output values", "Values from popular papers", "Examples"]
    wanted += ["Limitations and bias"]
    headings = re.findall(r"^##+ (.+)$", text_of("README.md"), re.MULTILINE)
    assert [heading for heading in headings if heading in wanted] == wanted
    assert headings[-2:] == ["Citation", "Further references"]


def test_readme_leads_to_every_document():
    text = text_of("README.md")
    assert not [path.name for path in (ROOT / "docs").glob("*.md") if f"(docs/{path.name}" not in text]


def test_ci_calls_the_readmes_test_command():
    """It finds the command, by what precedes it, in the README."""
    (finding,) = re.findall(r"^command=\$\((.*)\)$", text_of(".ci/run"), re.MULTILINE)
    command = subprocess.run(["bash", "-c", finding], capture_output=True, text=True, check=True).stdout.strip()
    assert command.endswith("-m pytest")
    assert command in re.findall(r"^```sh\n(.+)\n```", text_of("README.md"), re.MULTILINE)


def test_every_option_is_told():
    """With the values that it can have, and its part of the signature."""
    inputs, signature = section(text_of("README.md"), "Inputs"), section(text_of("docs/variants.md"), "The signature")
    values = [f'"{name}"' for option in CHANGES.values() for name in option.choices]
    assert not [name for name in (*OPTIONS, *values) if f"`{name}`" not in inputs]
    assert not [option.key for option in OPTIONS.values() if f"`{option.key}`" not in signature]


def test_figure_shows_what_the_metric_says(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    figure = importlib.import_module("figure")
    assert figure.drawn(figure.scores()) == figure.FIGURE.read_text(encoding="utf-8")


# ---- Variants and countings, in all their places ---------------------------------------------------------------------


def test_every_variant_is_in_all_places(sari):
    names = list(VARIANTS)
    assert list(oracle.VARIANTS) == names
    assert first_cells(section(text_of("README.md"), "Variants")) == names
    assert not [name for name in names if not re.search(rf"\b{name}\b", sari.inputs_description)]
    scored = re.findall(r"^\| (`.+?) \|", section(text_of("docs/variants.md"), "From counts to scores"), re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(scored)) == names


def test_every_counting_is_in_all_places():
    names = list(COUNTINGS)
    assert {row.counting for row in VARIANTS.values()} == set(names)
    rows = re.findall(r"^\| `(\w+)` \| (`.+?) \|", text_of("docs/variants.md"), re.MULTILINE)
    told = {counting: re.findall(r"`(\w+)`", of) for counting, of in rows if counting in names}
    assert told == {name: [row.name for row in VARIANTS.values() if row.counting == name] for name in names}


# ---- The other documents --------------------------------------------------------------------------------------------


def test_every_warning_is_told():
    assert first_cells(section(text_of("docs/statistics.md"), "Warnings")) == [
        name for name in CATEGORIES if name != "SariWarning"
    ]


def test_every_option_of_the_command_line_is_told(capsys):
    from sari.command_line.arguments import parse
    from sari.reports.formats import SENTENCE_FORMATS, TABLE_FORMATS

    with pytest.raises(SystemExit):
        parse(["--help"])
    known, text = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)), text_of("docs/command_line.md")
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) == known
    assert not [name for name in (*TABLE_FORMATS, *SENTENCE_FORMATS) if f"`{name}`" not in text]


def test_every_program_is_told():
    commands = importlib.import_module("sari.__main__").COMMANDS
    assert first_cells(section(text_of("docs/command_line.md"), "The other programs")) == [
        f"python . {name}" for name in commands
    ]


def test_every_endpoint_and_limit_of_the_app_is_told():
    from sari.web import inputs as limits
    from sari.web.endpoints import ENDPOINTS

    text = text_of("docs/app.md")
    rows = dict(re.findall(r"^\| `/(\w+)` \| (.+?) \|", text, re.MULTILINE))
    told = {name: re.findall(r"`(\w+)`", row) for name, row in rows.items()}
    assert told == {endpoint.__name__: list(inspect.signature(endpoint).parameters) for endpoint in ENDPOINTS}
    text = " ".join(text.split())
    numbers = {"characters": limits.MAX_CHARACTERS, "segments": limits.MAX_SEGMENTS, "MB": limits.MAX_MEGABYTES}
    numbers["systems"] = limits.MAX_SYSTEMS
    assert [unit for unit, number in numbers.items() if not re.search(rf"\b{number:,} {unit}\b", text)] == []
    assert [name for name in limits.OFFERED_TOKENIZERS if f"`{name}`" not in text] == []


@pytest.mark.parametrize("name", ["simplification", "translation", "readability", "accuracy"])
def test_every_measure_is_told(name):
    module = importlib.import_module(f"sari.companion_measures.{name}")
    functions = [
        found
        for found, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == module.__name__ and not found.startswith("_")
    ]
    assert not [found for found in functions if f"`{found}`" not in text_of("docs/measures.md")]


def test_every_name_of_a_measure_is_told():
    from sari.companion_measures.registry import MEASURES

    assert not [measure.name for measure in MEASURES if f"`{measure.name}`" not in text_of("docs/measures.md")]


def test_changelog_says_whether_scores_changed():
    _, *versions = re.split(r"^## ", text_of("CHANGELOG.md"), flags=re.MULTILINE)
    assert any(version.startswith(f"{VERSION}\n") for version in versions)
    assert all("score" in version for version in versions)


def test_versions_agree():
    for file, line in (("pyproject.toml", f'version = "{VERSION}"'), ("CITATION.cff", f"version: {VERSION}")):
        assert f"\n{line}\n" in text_of(file)


# ---- CONTRIBUTING ---------------------------------------------------------------------------------------------------


def test_the_map_names_every_package():
    told = re.findall(r"`(\w+)/`", section(text_of("CONTRIBUTING.md"), "Not shipped"))
    packages = {path.parent.name for path in ROOT.glob("[a-z]*/__init__.py")} - {"build", "dist"}
    assert sorted(told) == sorted(packages | {"benchmarks", "examples", "integrations"})


def test_imports_run_down_the_map():
    shipped = re.findall(r"^\| \w* ?\| `(\w+)\.py` \|", text_of("CONTRIBUTING.md"), re.MULTILINE)
    assert sorted(shipped) == sorted(["sari", *LEAVES])
    for place, name in enumerate(shipped):
        assert set(relative_imports(ROOT / f"{name}.py")) <= set(shipped[place + 1 :]), name


def test_text_files_that_contributing_names_exist():
    named = re.findall(r"(?<![\w/<>.])[\w./-]+(?:\.(?:py|md|txt|toml|svg|css|j2)\b|/(?=`))", text_of("CONTRIBUTING.md"))
    assert {"sari.py", "tests/oracle.py", "research/"} <= set(named)  # all kinds of names are found
    assert not [name for name in named if not (ROOT / name).exists()]
