"""What the ways without `evaluate` import, and so how long one waits for them."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

#: What takes long to import, and is needed neither to score nor to print.
HEAVY = {"evaluate", "datasets", "torch", "transformers", "gradio", "matplotlib", "jinja2", "scipy"}
FOR_SCORES = {"numpy", "pandas", "pyarrow"}

#: What runs first in a process, so that its last line on standard error says what it imported.
TELL = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr))
"""
SCRIPT = "import runpy; runpy.run_path('score.py', run_name='__main__')"
CORPUS = ["--sources", "examples/sources.txt", "--outputs", "examples/outputs.txt"]
CORPUS += ["--references", "examples/references.0.txt", "examples/references.1.txt"]


def imported_by(program, *arguments, status=0):
    """Run a program in a fresh process; return the packages that it had imported at its end, and what it printed."""
    process = subprocess.run(
        [sys.executable, "-c", TELL + program, *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert process.returncode == status, process.stderr
    return set(json.loads(process.stderr.splitlines()[-1])), process.stdout


@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), (["--variant", "bleu"], 2)])
def test_help_and_refusals_need_the_standard_library(arguments, status):
    names, output = imported_by(SCRIPT, *arguments, status=status)
    assert ("variants:" in output) == (status == 0)
    assert not names & (HEAVY | FOR_SCORES)


@pytest.mark.parametrize("program", ["import sari", "from sari import Scorer", "import sari; sari.compute"])
def test_importing_sari_shows_no_bar(program):
    """In a notebook without ipywidgets, tqdm.auto warns when it is imported."""
    program = f"from as_package import make_importable; make_importable(); {program}; print('tqdm.auto' in sys.modules)"
    assert imported_by(program)[1] == "False\n"


@pytest.mark.parametrize(
    ("flags", "variables"), [(["-P"], {}), (["-I"], {}), (["-OO"], {}), ([], {"PYTHONSAFEPATH": "1"})]
)
def test_flags_of_python(tmp_path, flags, variables):
    """Python looks for modules elsewhere with -P, PYTHONSAFEPATH and -I, and has no docstrings with -OO."""
    for program, arguments in {"score.py": ["--help"], "app.py": ["--help"], "__main__.py": ["--help"]}.items():
        command = [sys.executable, *flags, str(ROOT / program), *arguments]
        environment = os.environ | variables
        process = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False
        )
        assert (process.returncode, process.stderr) == (0, "")
        assert "usage: " in process.stdout
        assert "None" not in process.stdout


@pytest.mark.parametrize(
    ("folder", "command"), [("", ["x.zip"]), ("sari", ["-m", "sari"]), ("sari", ["-m", "sari.score"])]
)
def test_a_zip_file_is_refused_in_one_line(tmp_path, monkeypatch, folder, command):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for file in [*ROOT.glob("*.py"), *ROOT.glob("command_line/*.py")]:
            archive.write(file, Path(folder, file.relative_to(ROOT)))
    monkeypatch.setenv("PYTHONPATH", "x.zip")
    process = subprocess.run(
        [sys.executable, *command, "--help"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert process.returncode == 2
    assert re.fullmatch(r"sari: error: .*x\.zip.*: not a folder, .*\n", process.stderr)


def test_scores_need_no_more_than_numpy_pandas_and_arrow():
    names, output = imported_by(SCRIPT, *CORPUS, "--format", "json", "--confidence", "--baselines", "--why", "hf")
    assert "SARI|variant:easse|nrefs:2|" in output
    assert names >= FOR_SCORES
    assert not names & HEAVY
