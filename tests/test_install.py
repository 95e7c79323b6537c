"""The package as others install it: a wheel in a new environment, far from the checkout."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from itertools import chain

import pytest
from conftest import ROOT
from four_segments import WITHOUT_TRANSFORMERS
from programs import EXAMPLE, ONLY, SYSTEMS, VERSIONS
from test_layout import PACKAGES

from sari.variants import VERSION

#: What a build needs of the checkout; not its folders of environments, caches and earlier builds.
NOT_BUILT = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "venv")
TEXTS = {"sources": ["a b c"], "predictions": ["a b"], "references": [["a b", "a"]]}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the wheel of the source distribution of a copy of the checkout, built with what is installed here."""
    if os.name != "posix":
        pytest.skip("needs the folders that environments have on Unix")
    folder = tmp_path_factory.mktemp("build")
    shutil.copytree(ROOT, folder / "copy", ignore=NOT_BUILT)
    command = [sys.executable, "-c", f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"]
    subprocess.run(command, cwd=folder / "copy", capture_output=True, check=True)
    (archive,) = folder.glob("*.tar.gz")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder)]
    assert "would be ignored" not in pip(sys.executable, "wheel", "-v", *options, str(archive))
    (wheel,) = folder.glob("*.whl")
    return wheel


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
        metadata = archive.read(f"sari-{VERSION}.dist-info/METADATA").decode()
    assert {name.split("/")[0] for name in names} == {"sari", f"sari-{VERSION}.dist-info"}
    assert not [name for name in names if re.search("test|benchmark|research", name)]
    packages = chain.from_iterable((ROOT / package).rglob("*.*") for package in PACKAGES if package != "research")
    beside = chain.from_iterable(map(ROOT.glob, ("*.py", "examples/*.txt", "examples/*.jsonl", "README.md")))
    ours = (path for path in chain(packages, beside) if "__pycache__" not in path.parts)
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
bring("sari", "app")
from pathlib import Path
from sari.web import page, rendering
from sari.web.samples import example_file, samples
style = Path(page.__file__).with_name("page.css").stat().st_size
print(min(len(samples()), len(rendering.about()), len(example_file("sources.txt")), style))
"""


def test_the_page_needs_nothing_but_its_extra_and_has_its_files(outside):
    assert int(outside("python", "-c", ONLY + PAGE)) > 2
