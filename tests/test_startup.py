"""What the ways without `evaluate` import, and so how long one waits for them."""

import json
import subprocess
import sys

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


def test_help_needs_the_standard_library():
    names, output = imported_by(SCRIPT, "--help")
    assert "variants:" in output
    assert "sari" in names
    assert not names & (HEAVY | FOR_SCORES)


def test_wrong_arguments_need_the_standard_library():
    names, output = imported_by(SCRIPT, "--variant", "bleu", status=2)
    assert output == ""
    assert not names & (HEAVY | FOR_SCORES)


@pytest.mark.parametrize(
    "more", [[], ["--format", "json", "--confidence", "--baselines", "--why", "easse"], ["--explain", "3"]]
)
def test_scoring_files(more):
    names, output = imported_by(SCRIPT, *CORPUS, *more)
    assert "SARI|variant:hf|nrefs:2|" in output
    assert names >= FOR_SCORES
    assert not names & HEAVY


@pytest.mark.parametrize(
    "program",
    [
        "from score import sari; print(sari(['a b c'], ['a b'], [['a b', 'a c']])['sari'])",
        "from as_package import make_importable; make_importable(); from sari.scorer import Scorer; "
        "print(Scorer().compute(sources=['a b c'], predictions=['a b'], references=[['a b', 'a c']])['sari'])",
    ],
)
def test_scoring_lists(program):
    names, output = imported_by(program)
    assert 0 < float(output) < 100
    assert not names & HEAVY
