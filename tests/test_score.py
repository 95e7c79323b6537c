"""The door for the command line and for other programs: `score.py`, from anywhere."""

import sys

import pytest
from programs import OUTPUT, REFERENCES, ROOT, SOURCE, run

from score import sari as score_texts


def test_function_for_other_programs(sari):
    columns = {"sources": [SOURCE], "predictions": [OUTPUT], "references": [REFERENCES]}
    assert score_texts([SOURCE], [OUTPUT], [REFERENCES]) == sari.compute(**columns)
    options = {"variant": "easse", "details": True}
    assert score_texts([SOURCE], [OUTPUT], [REFERENCES], **options) == sari.compute(**columns, **options)


@pytest.mark.parametrize(("command", "name"), [(["score.py"], b"score.py"), ([".", "score"], b"sari")])
def test_the_same_program_behind_both_doors(tmp_path, command, name):
    """From another working directory, too."""
    path, *rest = command
    process = run(
        "--sources",
        "none",
        "--outputs",
        "o",
        "--references",
        "r",
        folder=tmp_path,
        command=[sys.executable, str(ROOT / path), *rest],
    )
    assert (process.returncode, process.stdout) == (2, b"")
    assert process.stderr == name + b": error: none: No such file or directory, wanted a file to read\n"


def test_other_programs_need_no_path_but_this_folder(tmp_path):
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from score import sari\n"
        "print(sari(['a b'], ['a'], [['a']])['sari'])\n"
    )
    process = run(program, str(ROOT), folder=tmp_path, command=[sys.executable, "-c"])
    assert (process.returncode, process.stdout) == (0, b"100.0\n")
