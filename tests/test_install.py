"""The package as others install it: a wheel in a new environment, far from the checkout."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import fields
from itertools import chain
from typing import get_args

import pytest
from conftest import ROOT
from four_segments import WITHOUT_TRANSFORMERS
from programs import EXAMPLE, ONLY, SYSTEMS, VERSIONS
from test_layout import PACKAGES

import sari
from sari import EditData, SegmentExplanation, TokenData
from sari.reports.explanation import Explanation
from sari.reports.reasons import Token
from sari.reports.word_edits import Edit
from sari.sari_scorer import ScoringOptions
from sari.significance import TESTS, TestName
from sari.variants import (
    DELETIONS,
    LEVELS,
    OPTIONS,
    PENALTIES,
    VARIANTS,
    Deletion,
    Level,
    PenaltiesName,
    VariantName,
)

#: What a build needs of the checkout; not its folders of environments, caches and earlier builds.
NOT_BUILT = shutil.ignore_patterns(
    ".git", ".venv*", ".*_cache", ".hypothesis", "build", "dist", "*.egg-info", "__pycache__", "venv"
)
TEXTS = {"sources": ["a b c"], "predictions": ["a b"], "references": [["a b", "a"]]}


def build(folder, *kinds, umask=0o022):
    """Build archives into a folder, from a copy of the checkout in which an earlier build left a module."""
    if os.name != "posix":
        pytest.skip("needs the folders that environments have on Unix")
    before = os.umask(umask)
    shutil.copytree(ROOT, folder / "copy", ignore=NOT_BUILT, copy_function=shutil.copyfile)  # with modes of new files
    old = folder / "copy" / "build" / "lib" / "sari"
    old.mkdir(parents=True)
    (old / "gone.py").touch()
    calls = "; ".join(f"build_meta.build_{kind}({str(folder)!r})" for kind in kinds)
    command = [sys.executable, "-c", f"from setuptools import build_meta; {calls}"]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    process = subprocess.run(command, cwd=folder / "copy", env=environment, capture_output=True, text=True, check=False)
    os.umask(before)
    assert process.returncode == 0, process.stderr
    assert "would be ignored" not in process.stdout + process.stderr
    return folder


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Return a folder with the source distribution and its wheel, built with what is installed here."""
    return build(tmp_path_factory.mktemp("build"), "sdist", "wheel")


@pytest.fixture(scope="module")
def wheel(archives):
    """Return the path of the wheel."""
    (path,) = archives.glob("*.whl")
    return path


def test_two_builds_are_the_same_bytes(archives, tmp_path):
    """Whatever the mask for new files is."""
    other = build(tmp_path, "sdist", "wheel", umask=0o077)
    names = sorted(path.name for path in archives.iterdir() if path.is_file())
    assert len(names) == 2
    assert [(archives / name).read_bytes() for name in names] == [(other / name).read_bytes() for name in names]


def test_the_source_distribution_has_what_the_readme_links_to_and_the_tests(archives):
    (path,) = archives.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        metadata = archive.extractfile(f"{path.name.removesuffix('.tar.gz')}/PKG-INFO").read().decode()
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.*") if path.suffix != ".pyc"}
    assert {*links, "requirements-dev.txt", "docs/ratings.csv", ".ci/run"} | tests <= names
    assert metadata.partition("\n\n")[2].lstrip().startswith("# SARI\n")  # without the front matter of the Space


def pip(python, *arguments):
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout + process.stderr


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """Return the programs of a new environment with the wheel, in which the packages of this one can be seen."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "those_of_the_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    options = ["-q", "--no-deps", "--no-index", str(wheel)]
    pip(sys.executable, "--python", str(folder / "bin" / "python"), "install", *options)
    return folder / "bin"


@pytest.fixture
def outside(environment, tmp_path):
    """Return a function that runs a program of the environment in an empty folder."""

    def run(program, *arguments, status=0, **variables):
        process = subprocess.run(
            [str(environment / program), *map(str, arguments)],
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert process.returncode == status, process.stderr
        return process.stderr if status else process.stdout

    return run


def test_one_importable_package(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (info,) = {name.split("/")[0] for name in names} - {"sari"}
        metadata = archive.read(f"{info}/METADATA").decode()
    assert info == f"sari_score-{sari.__version__}.dist-info"
    assert not [name for name in names if re.search(r"test|benchmark|research|setup|gone|examples/.*\.py", name)]
    packages = chain.from_iterable((ROOT / package).rglob("*.*") for package in PACKAGES if package != "research")
    beside = chain.from_iterable(map(ROOT.glob, ("*.py", "examples/*.txt", "examples/*.jsonl", "README.md")))
    ours = (path for path in chain(packages, beside) if "__pycache__" not in path.parts and path.name != "setup.py")
    assert {f"sari/{path.relative_to(ROOT).as_posix()}" for path in ours} <= set(names)
    needed = {
        line.split()[1] for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra" not in line
    }
    heavy = {"evaluate", "datasets", "gradio", "matplotlib", "scipy", "torch", "transformers"}
    assert not {re.match(r"[\w-]+", name)[0] for name in needed} & heavy


def test_the_command(outside, tmp_path):
    folder = f"{ROOT}/examples/"
    arguments = [argument.replace("examples/", folder) for argument in [*EXAMPLE, *SYSTEMS]]
    found = outside("sari", *arguments, "--format", "json", "--report", "report.html", "--resamples", "50")
    assert f"SARI|variant:easse|nrefs:2|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}" in found
    assert "</html>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert outside("sari", status=2).startswith("sari: error: got no arguments, expected ")


SCORES_AND_IMPORTS = f"""
import sys, sari
print({{"numpy", "pandas"}} & set(sys.modules), hasattr(sari, "nonsense"))
print(round(sari.compute(**{TEXTS}, variant="easse")["sari"], 2))
print({{"evaluate", "datasets", "torch"}} & set(sys.modules))
import evaluate
print(round(evaluate.load(sari.path(), "easse").compute(**{TEXTS})["sari"], 2))
"""


def test_python_scores_lists_and_evaluate_loads_the_path(outside):
    """And nothing is imported that is not needed."""
    found = outside("python", "-c", SCORES_AND_IMPORTS, **WITHOUT_TRANSFORMERS)
    assert found.splitlines() == ["set() False", "34.37", "set()", "34.37"]


PAGE = """
bring("sari-score", "app")
from pathlib import Path
from sari.web import page, rendering
from sari.web.samples import example_file, samples
style = Path(page.__file__).with_name("page.css").stat().st_size
print(min(len(samples()), len(rendering.about()), len(example_file("sources.txt")), style))
"""


def test_the_page_needs_nothing_but_its_extra_and_has_its_files(outside):
    assert int(outside("python", "-c", ONLY + PAGE)) > 2


LINES = re.compile(r"typed_client\.py:(\d+):(?:\d+ -)? error", re.MULTILINE)


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_for_callers(environment, tmp_path, checker):
    """Type checkers know what is returned, and find the mistakes of a program: those of its lines that say so."""
    pytest.importorskip(checker)
    if checker == "pyright" and not shutil.which("node"):
        pytest.skip("pyright needs node")
    client = (ROOT / "tests" / "typed_client.py").read_text(encoding="utf-8")
    (tmp_path / "typed_client.py").write_text(client, encoding="utf-8")
    python = str(environment / "python")
    arguments = ["--python-executable", python, "--strict"] if checker == "mypy" else ["--pythonpath", python]
    command = [sys.executable, "-m", checker, *arguments, "typed_client.py"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    wrong = [
        number
        for number, line in enumerate(client.splitlines(), 1)
        if "# wrong: " in line and (checker == "pyright" or "(pyright)" not in line)
    ]
    assert sorted({int(number) for number in LINES.findall(process.stdout)}) == wrong, process.stdout


def test_all_types_are_known(environment, tmp_path):
    """Of everything that can be imported."""
    pytest.importorskip("pyright")
    if not shutil.which("node"):
        pytest.skip("pyright needs node")
    command = [sys.executable, "-m", "pyright", "--verifytypes", "sari", "--ignoreexternal"]
    path = os.pathsep.join([str(environment), os.environ["PATH"]])
    process = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert "Type completeness score: 100%" in process.stdout, process.stdout


def test_names_for_type_checkers():
    """They are those of the data."""
    names = {VariantName: VARIANTS, Level: LEVELS, Deletion: DELETIONS, PenaltiesName: PENALTIES, TestName: TESTS}
    assert all(set(get_args(literal)) == set(values) for literal, values in names.items())
    data = {SegmentExplanation: Explanation, TokenData: Token, EditData: Edit}
    assert all(list(typed.__annotations__) == [field.name for field in fields(kind)] for typed, kind in data.items())
    assert {*ScoringOptions.__annotations__} == {*OPTIONS}


def test_versions_and_dates():
    """Between releases the version ends in .dev0, and the first heading of the changelog has no date."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    headings = re.findall("^## (.+)$", changelog, re.MULTILINE)
    released = [heading for heading in headings if heading != "Unreleased"]
    assert all(re.fullmatch(r"[\d.]+ \(\d{4}-\d\d-\d\d\)", heading) for heading in released)
    version, date = released[0].rstrip(")").split(" (")
    assert re.search(rf"^version: {version}\ndate-released: {date}$", citation, re.MULTILINE)
    assert (headings[0] == "Unreleased") == sari.__version__.endswith(".dev0")
    assert (sari.__version__ == version) == (headings[0] != "Unreleased")


def test_public_names():
    """All of them can be imported, and the page says what they are."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)(?:\(\))?`", page.partition("| name |")[2].partition("\n\n")[0]))
    assert {*sari.__all__} <= told
    assert all(getattr(sari, name) is not None for name in sari.__all__)
    assert {*sari.__all__} <= {*dir(sari)}
