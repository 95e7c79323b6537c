"""How files lie and import each other: `evaluate.load` copies `sari.py` and the flat files that it imports, no more."""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from evaluate.loading import get_imports
from four_segments import WITHOUT_TRANSFORMERS


def imports(file):
    """Yield every import statement, in functions and branches too."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def relative_imports(file):
    """Return the siblings that a file imports."""
    return [node.module for node in imports(file) if getattr(node, "level", 0)]


HUB = ROOT / "sari.py"
LEAVES = relative_imports(HUB)
SHIPPED = [HUB, *(ROOT / f"{leaf}.py" for leaf in LEAVES)]

#: The packages of the product, each above those that it may import. Research is above all of them.
PACKAGES = ["research", "web", "command_line", "human_ratings", "reports", "companion_measures", "text_files"]


def imported_names(file):
    """Return the first part of the name of all that a file imports."""
    names = set()
    for node in imports(file):
        found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        names |= {name.partition(".")[0] for name in found}
    return names


def test_the_loader_sees_the_imports_that_python_sees():
    """Not those that share a line, have a comment behind them, or stand behind quotes in a comment.

    It leaves out what is indented: that of as_package, which is for checkouts.
    """
    seen = {(kind, name) for kind, name, *_ in get_imports(str(HUB))}
    libraries = {("library", name) for name in imported_names(HUB) - {*LEAVES, "as_package"}}
    assert seen == libraries | {("internal", leaf) for leaf in LEAVES}


def test_the_hub_names_every_module_that_a_shipped_one_imports():
    assert set().union(*(relative_imports(file) for file in SHIPPED)) == set(LEAVES)


IMPORTED = """
import sari
from sari.sari_scorer import Scorer
assert sari.Scorer is Scorer and sari.path() == sys.argv[1], sari
"""


@pytest.mark.parametrize("program", ["", "import score\n"])
def test_the_folder_is_the_package(program):
    """Though it has a file of that name."""
    command = [sys.executable, "-W", "error::DeprecationWarning:sari", "-c", f"import sys\n{program}{IMPORTED}"]
    environment = os.environ | WITHOUT_TRANSFORMERS
    subprocess.run([*command, str(HUB)], cwd=ROOT, check=True, timeout=300, env=environment)


def test_packages_import_one_way():
    """No circle; and no part of the product imports research."""
    found = {path.parent.name for path in ROOT.glob("[a-z]*/__init__.py")} - {"build", "dist"}
    assert sorted(PACKAGES) == sorted(found)
    for place, package in enumerate(PACKAGES):
        for file in (ROOT / package).rglob("*.py"):
            names = [node.module for node in imports(file) if isinstance(node, ast.ImportFrom) and node.module]
            names = [name.split(".")[1] for name in names if name.startswith("sari.")]
            assert not set(names) & set(PACKAGES[:place]), file
    for file in [*ROOT.glob("*.py"), *ROOT.glob("integrations/*.py")]:
        assert "sari.research" not in file.read_text(encoding="utf-8"), file


@pytest.mark.parametrize("package", ["", *PACKAGES[PACKAGES.index("human_ratings") :]])
def test_libraries_name_no_options_of_the_command_line(package):
    """Their messages name arguments, which the command line replaces by its options."""
    for file in SHIPPED if not package else (ROOT / package).rglob("*.py"):
        assert not re.findall(r"(?<![\w-])--[a-z][\w-]*", file.read_text(encoding="utf-8")), file


def test_names_shadow_nothing():
    folders = (ROOT, ROOT / "tests", ROOT / "benchmarks")
    ours = {file.stem for folder in folders for file in folder.glob("*.py")}
    # What is installed, the metric itself aside where someone has installed it; and what users are likely to have.
    installed = {name for name, owners in importlib.metadata.packages_distributions().items() if set(owners) - {"sari"}}
    likely = {"tokenizers", "transformers", "torch", "evaluate", "datasets", "ray", "gradio", "scipy", "metrics"}
    assert not ours & (sys.stdlib_module_names | installed | likely)
