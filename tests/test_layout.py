"""How the files lie, as `evaluate.load` needs it: it copies `sari.py` and the flat files that it imports, no others."""

import ast
import importlib.metadata
import inspect
import io
import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import evaluate
import pytest
from conftest import ROOT
from evaluate.loading import get_imports
from four_segments import WITHOUT_TRANSFORMERS

HUB = ROOT / "sari.py"
TREE = ast.parse(HUB.read_text(encoding="utf-8"))
LEAVES = [node.module for node in TREE.body if isinstance(node, ast.ImportFrom) and node.level]
SHIPPED = [HUB, *(ROOT / f"{leaf}.py" for leaf in LEAVES)]

each_shipped = pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)


def imports(file):
    """Yield every import statement, in functions and branches too."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def imported_names(file):
    """Return the first part of the name of all that a file imports."""
    names = set()
    for node in imports(file):
        found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        names |= {name.partition(".")[0] for name in found}
    return names


def test_imports_stand_where_the_loader_looks():
    """It reads the imports of the hub alone, line by line."""
    lines = HUB.read_text(encoding="utf-8").splitlines()
    for node in imports(HUB):
        line = lines[node.lineno - 1]
        assert node.col_offset == 0, f"indented: {line}"
        assert isinstance(node, ast.ImportFrom) or len(node.names) == 1, f"more than one module: {line}"
        assert not isinstance(node, ast.ImportFrom) or node.module, f"no module: {line}"
        assert not getattr(node, "level", 0) or node.end_lineno == node.lineno, f"more than one line: {line}"
        # A comment behind a relative import is taken for the address to download it from.
        assert not getattr(node, "level", 0) or "#" not in line, f"trailing comment: {line}"


def test_the_loader_sees_the_imports_that_python_sees():
    seen = {(kind, name) for kind, name, *_ in get_imports(str(HUB))}
    libraries = {("library", name) for name in imported_names(HUB) - set(LEAVES)}
    assert seen == libraries | {("internal", leaf) for leaf in LEAVES}


def strings_and_comments(file):
    with io.StringIO(file.read_text(encoding="utf-8")) as lines:
        tokens = list(tokenize.generate_tokens(lines.readline))
    return ([token.string for token in tokens if token.type == kind] for kind in (tokenize.STRING, tokenize.COMMENT))


@each_shipped
def test_what_the_loader_would_misread(file):
    strings, comments = strings_and_comments(file)
    # Imports behind quotes in a comment are hidden.
    assert not [comment for comment in comments if '"""' in comment or "'''" in comment]
    # What stands behind this mark in a line is left out of the hash by which a changed file is copied again.
    assert not [string for string in strings if "\x23" in string]
    data = file.read_bytes()
    assert data.decode("utf-8").endswith("\n")
    assert b"\r" not in data
    assert not data.startswith(b"\xef\xbb\xbf")


def relative_imports(file):
    """Return the siblings that a file imports."""
    return [node.module for node in imports(file) if getattr(node, "level", 0)]


def test_there_are_few_modules():
    """Each takes a request or two of every load from the Hub; CONTRIBUTING.md says what it holds."""
    assert len(SHIPPED) == len(set(SHIPPED)) <= 18
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert not [file.name for file in SHIPPED if f"| `{file.name}` |" not in guide]


@each_shipped
def test_own_modules_are_imported_with_a_dot(file):
    """Without it a sibling is found where sari.py lies, and missing from where evaluate copies it to."""
    own = {path.stem for path in ROOT.glob("*.py")} | {path.name for path in ROOT.iterdir() if path.is_dir()}
    assert not imported_names(file) - set(relative_imports(file)) & own
    plain = {node.module for node in imports(file) if isinstance(node, ast.ImportFrom) and not node.level}
    assert not plain & own


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


#: The packages of the product, each above those that it may import. Research is above all of them.
PACKAGES = ["research", "web", "command_line", "human_ratings", "reports", "companion_measures", "text_files"]


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


def test_the_requirements_name_all_that_is_imported():
    """What is imported within a function is optional, or comes with another package."""
    required = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    names = [
        node.names[0].name if isinstance(node, ast.Import) else node.module
        for file in SHIPPED
        for node in imports(file)
        if node.col_offset == 0 and not getattr(node, "level", 0)
    ]
    third = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
    assert {name for name in third if not re.search(rf"^{name}\b", required, re.MULTILINE)} == set()


def test_one_metric_in_the_namespace(sari):
    namespace = vars(sys.modules[type(sari).__module__])
    metrics = [
        value for value in namespace.values() if inspect.isclass(value) and issubclass(value, evaluate.EvaluationModule)
    ]
    assert metrics == [type(sari)]
    assert type(sari).__name__ == "Sari"  # the folder of its cache files goes by it
    assert sari.name == "sari"


def test_what_is_copied(sari):
    folder = Path(sys.modules[type(sari).__module__].__file__).parent
    copied = {file.name for file in folder.iterdir() if file.suffix == ".py"} - {"__init__.py"}
    assert copied == {file.name for file in SHIPPED}
