"""How files lie and import each other: `evaluate.load` copies `sari.py` and the flat files that it imports, no more."""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from four_segments import WITHOUT_TRANSFORMERS


def imported_modules(file):
    """Return the modules that a file imports from, in functions and branches too; siblings begin with a dot."""
    nodes = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)]
    return ["." * node.level + (node.module or "") for node in nodes]


def siblings(file):
    """Return the siblings that a file imports."""
    return [name[1:] for name in imported_modules(file) if name.startswith(".")]


HUB = ROOT / "sari.py"
LEAVES = siblings(HUB)
SHIPPED = [HUB, *(ROOT / f"{leaf}.py" for leaf in LEAVES)]

#: The packages of the product, each above those that it may import. Research is above all of them.
PACKAGES = ["research", "web", "command_line", "human_ratings", "reports", "companion_measures", "text_files"]


def test_the_hub_names_every_module_that_a_shipped_one_imports():
    assert set().union(*map(siblings, SHIPPED)) == set(LEAVES)


def test_the_folder_is_the_package():
    """Though it has a file of that name."""
    program = "import sari; from sari.sari_scorer import Scorer; print(sari.Scorer is Scorer, sari.path())"
    command = [sys.executable, "-W", "error::DeprecationWarning:sari", "-c", program]
    environment = os.environ | WITHOUT_TRANSFORMERS
    assert subprocess.check_output(command, cwd=ROOT, env=environment, text=True) == f"True {HUB}\n"


def test_packages_import_one_way():
    """No circle; and no part of the product imports research."""
    found = {path.parent.name for path in ROOT.glob("[a-z]*/__init__.py")} - {"build", "dist"}
    assert sorted(PACKAGES) == sorted(found)
    for place, package in enumerate(PACKAGES):
        above = tuple(f"sari.{name}" for name in PACKAGES[:place])
        for file in (ROOT / package).rglob("*.py"):
            assert not [name for name in imported_modules(file) if name.startswith(above)], file
    for file in [*ROOT.glob("*.py"), *ROOT.glob("integrations/*.py")]:
        assert "sari.research" not in file.read_text(encoding="utf-8"), file


@pytest.mark.parametrize("package", ["", *PACKAGES[PACKAGES.index("human_ratings") :]])
def test_libraries_name_no_options_of_the_command_line(package):
    """Their messages name arguments, which the command line replaces by its options."""
    for file in SHIPPED if not package else (ROOT / package).rglob("*.py"):
        assert not re.findall(r"(?<![\w-])--[a-z][\w-]*", file.read_text(encoding="utf-8")), file


@pytest.mark.parametrize("package", ["", *PACKAGES])
def test_what_is_refused_has_classes_of_its_own(package):
    """So that programs tell it from their own faults, which have Python's."""
    for file in (ROOT / package).glob("*.py"):
        assert not re.findall(r"raise (?:Value|Type|Import|ModuleNotFound)Error\b", file.read_text(encoding="utf-8")), (
            file
        )


def test_lists_of_tests_name_files_that_are_there():
    for name in ("run", "portable_tests.txt"):
        files = re.findall(r"tests/\S+\.py", (ROOT / ".ci" / name).read_text(encoding="utf-8"))
        assert files
        assert [file for file in files if not any(ROOT.glob(file))] == []


def test_names_shadow_nothing():
    """Of what is installed, the metric itself aside where someone has installed it, and of what users may well have."""
    ours = {file.stem for folder in ("", "tests", "benchmarks") for file in (ROOT / folder).glob("*.py")}
    installed = {
        name for name, owners in importlib.metadata.packages_distributions().items() if set(owners) - {"sari-score"}
    }
    likely = {"tokenizers", "transformers", "torch", "evaluate", "datasets", "ray", "gradio", "scipy", "metrics"}
    assert not ours & (sys.stdlib_module_names | installed | likely)
