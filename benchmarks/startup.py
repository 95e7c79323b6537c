"""How long it takes to begin, and how much memory: `python benchmarks/startup.py [--runs 5]`.

Every way in runs in fresh processes, which take turns, since machines are noisy; the medians are printed. Seconds are
what one waits, CPU seconds what the process and its threads computed, which a busy machine changes less; memory is the
most that a process held at once (RSS). The first round, which fills caches, does not count.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

_FILES = ["--sources", "examples/sources.txt", "--outputs", "examples/outputs.txt", "--references"]
_FILES += ["examples/references.0.txt", "examples/references.1.txt"]
_SEGMENT = "sources=['a b c'], predictions=['a b'], references=[['a b', 'a c']]"

#: The arguments of Python for each way in; the folder of the project is the working directory.
WAYS: dict[str, list[str]] = {
    "python score.py --help": ["score.py", "--help"],
    "python score.py, example corpus": ["score.py", *_FILES],
    "from score import sari, one call": ["-c", f"from score import sari; sari({_SEGMENT})"],
    "evaluate.load, one compute": ["-c", f"import evaluate; evaluate.load('sari.py').compute({_SEGMENT})"],
    "import numpy, pandas, pyarrow": ["-c", "import numpy, pandas, pyarrow"],
}


class Run(NamedTuple):
    """What one process took."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def main() -> None:
    """Run every way in, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="how often each is run (default: 5)")
    options = parser.parse_args()
    runs: dict[str, list[Run]] = {way: [] for way in WAYS}
    for _ in range(1 + options.runs):
        for way, arguments in WAYS.items():
            runs[way].append(run(arguments))
    print(f"{'way':<36}{'seconds':>9}{'CPU s':>9}{'peak MB':>9}")
    for way, (_, *counted) in runs.items():
        seconds, cpu_seconds, megabytes = map(statistics.median, zip(*counted, strict=True))
        print(f"{way:<36}{seconds:>9.2f}{cpu_seconds:>9.2f}{megabytes:>9.0f}")
    heavy = [name for name in ("torch", "tensorflow", "jax", "transformers") if find_spec(name)]
    print(f"installed besides: {', '.join(heavy) or 'none of torch, tensorflow, jax and transformers'}")


def run(arguments: list[str]) -> Run:
    """Run Python in a fresh process and return what it took."""
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"python {' '.join(arguments)} ended with status {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kibibytes
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6)


if __name__ == "__main__":
    main()
