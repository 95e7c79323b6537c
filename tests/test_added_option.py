"""An option added as CONTRIBUTING says, in a copy of the project: everything that takes options has it."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT
from four_segments import WITHOUT_TRANSFORMERS

#: File, a line, and what the recipe adds before it.
RECIPE = [
    (
        "variants.py",
        '    "max_order": Option(\n',
        '    "strip_accents": _flag(help="whether accents are removed", key="accents", step="text",\n'
        "        is_used=lambda variant: variant.strip_accents,\n"
        '        words=lambda value: "without accents" if value else ""),\n',
    ),
    ("variants.py", "    splits_on_space: bool = False\n", "    strip_accents: bool = False\n"),
    (
        "tokenization.py",
        "    tokenize = text.tokenize\n",
        "    if text.strip_accents:\n"
        "        import unicodedata\n\n"
        '        texts = [unicodedata.normalize("NFD", one).encode("ascii", "ignore").decode() for one in texts]\n',
    ),
    ("sari_scorer.py", "        max_order: int | None = None,\n", "        strip_accents: bool | None = None,\n"),
    ("sari_scorer.py", '            "max_order": max_order,\n', '            "strip_accents": strip_accents,\n'),
    ("sari.py", "        max_order: int | None = None,\n", "        strip_accents: bool | None = None,\n"),
    ("sari.py", "        refuse_unknown(unknown, [", '        options["strip_accents"] = strip_accents\n'),
]

PROGRAM = """
import json
from as_package import make_importable

make_importable()
import evaluate
from sari.sari_scorer import Scorer
from sari.web import endpoints

texts = {"sources": ["El café está cerrado"], "predictions": ["El café"], "references": [["El cafe"]]}
plain, stripped = Scorer("easse"), Scorer("easse", strip_accents=True)
metric = evaluate.load("sari.py", "easse", strip_accents=True)
segment = {"source": texts["sources"][0], "output": texts["predictions"][0], "references": texts["references"][0]}
print(json.dumps({
    "scores": [scorer.compute(**texts)["sari"] for scorer in (plain, stripped, metric)],
    "one call": evaluate.load("sari.py").compute(**texts, variant="easse", strip_accents=True)["sari"],
    "help": "strip_accents: whether accents are removed." in metric.inputs_description,
    "signature": stripped.signature(),
    "restored": Scorer.from_signature(stripped.signature()).options["strip_accents"],
    "steps": [step["after"] for step in plain.explain_difference(stripped, **texts)["steps"]],
    "endpoint": endpoints.sentence(**segment, options={"variant": "easse", "strip_accents": True})["scores"]["sari"],
}))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copies") / "sari"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "tests", "docs", "__pycache__"))
    for name, line, added in RECIPE:
        text = (folder / name).read_text(encoding="utf-8")
        assert line in text
        (folder / name).write_text(text.replace(line, added + line, 1), encoding="utf-8")
    columns = {"sources.txt": "El café está cerrado\n", "outputs.txt": "El café\n", "references.txt": "El cafe\n"}
    for name, text in columns.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(copy, *arguments):
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env=os.environ | WITHOUT_TRANSFORMERS,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_python_and_endpoints(copy):
    found = json.loads(run(copy, "-c", PROGRAM).splitlines()[-1])
    plain, stripped, of_metric = found["scores"]
    assert plain < stripped == of_metric == found["one call"] == found["endpoint"]
    assert found["help"]
    assert "|accents:yes|" in found["signature"]
    assert found["restored"]
    assert found["steps"] == [None, "13a tokens, lowercased, without accents"]


def test_command_line_and_companion_measures(copy):
    assert "--strip-accents, --no-strip-accents" in run(copy, "score.py", "--help")
    files = ["--sources", "sources.txt", "--outputs", "outputs.txt", "--references", "references.txt"]
    asked = [*files, "--variant", "easse", "--measures", "equal_to_reference", "--format", "json"]
    plain, stripped = (
        json.loads(run(copy, "score.py", *asked, *flags))["systems"][0]
        for flags in (["--no-strip-accents"], ["--strip-accents"])
    )
    assert plain["scores"]["sari"] < stripped["scores"]["sari"]
    assert (plain["measures"]["equal_to_reference"], stripped["measures"]["equal_to_reference"]) == (0, 100)
    assert "|accents:yes|" in stripped["signature"]
