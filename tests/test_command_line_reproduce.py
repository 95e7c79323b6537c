"""The table of published figures, as a program prints it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PWKP = ROOT.parent / "shared" / "data" / "pwkp_test"

EXPECTED = """\
           split %    sentences  edits from source  no edit  edits to reference           BLEU
Zhu        80 (80)  1.80 (1.80)        7.94 (7.87)    2 (2)       14.54 (14.64)    36.7 (37.4)
Woodsend   63 (63)  2.05 (2.05)        8.66 (8.63)  23 (24)       16.07 (16.03)    40.7 (42.0)
Hybrid     10 (10)  1.10 (1.10)        5.42 (6.32)    4 (4)       11.44 (11.53)    52.7 (53.6)
PBMT-R       1 (–)     1.01 (–)           2.38 (–)   14 (–)           12.61 (–)       45.4 (–)
reference  28 (28)  1.30 (1.30)      12.26 (12.24)    3 (3)         0.00 (0.00)  100.0 (100.0)

In brackets, Narayan and Gardent 2014: https://aclanthology.org/P14-1041
"""


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(ROOT), "reproduce", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(not PWKP.is_dir(), reason="needs the outputs of published systems on PWKP")
def test_published_systems():
    outputs = [PWKP / "outputs" / f"{name}.txt" for name in ("Zhu", "Woodsend", "Hybrid", "PBMT-R")]
    process = run("--sources", PWKP / "sources.txt", "--references", PWKP / "references.txt", "--outputs", *outputs)
    assert (process.returncode, process.stderr, process.stdout) == (0, "", EXPECTED)


def test_other_files_and_a_fault(tmp_path):
    sources, outputs = tmp_path / "s.txt", tmp_path / "zhu.txt"
    sources.write_text("He came and he saw .\nIt is so .\n")
    outputs.write_text("he came . he saw .\nit is so .\n")
    process = run("--sources", sources, "--references", outputs, "--outputs", outputs)
    assert (process.returncode, process.stderr) == (0, "")
    assert re.search(r"^zhu +50 \(80\) +1\.50 \(1\.80\) +0\.50 \(7\.87\) +1 \(2\) ", process.stdout, re.MULTILINE)
    outputs.write_text("he came .\n")
    process = run("--sources", sources, "--references", sources, "--outputs", outputs)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == f"reproduce: error: {outputs}:2: the file has 1 line, wanted 2 as in {sources}\n"
