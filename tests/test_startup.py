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


@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), (["--variant", "bleu"], 2)])
def test_help_and_refusals_need_the_standard_library(arguments, status):
    names, output = imported_by(SCRIPT, *arguments, status=status)
    assert ("variants:" in output) == (status == 0)
    assert not names & (HEAVY | FOR_SCORES)


def test_scores_need_no_more_than_numpy_pandas_and_arrow():
    names, output = imported_by(SCRIPT, *CORPUS, "--format", "json", "--confidence", "--baselines", "--why", "hf")
    assert "SARI|variant:easse|nrefs:2|" in output
    assert names >= FOR_SCORES
    assert not names & HEAVY
