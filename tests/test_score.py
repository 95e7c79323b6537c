"""`score.py` for other programs: its function, from anywhere."""

import sys

from programs import OUTPUT, REFERENCES, ROOT, SOURCE, run

from score import sari as score_texts


def test_function_for_other_programs(sari):
    columns = {"sources": [SOURCE], "predictions": [OUTPUT], "references": [REFERENCES]}
    assert score_texts([SOURCE], [OUTPUT], [REFERENCES]) == sari.compute(**columns, variant="easse")
    options = {"variant": "hf", "details": True}
    assert score_texts([SOURCE], [OUTPUT], [REFERENCES], **options) == sari.compute(**columns, **options)


def test_other_programs_need_no_path_but_this_folder(tmp_path):
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from score import sari\n"
        "print(sari(['a b'], ['a'], [['a']])['sari'])\n"
    )
    process = run(program, str(ROOT), folder=tmp_path, command=[sys.executable, "-c"])
    assert (process.returncode, process.stdout) == (0, b"25.0\n")
