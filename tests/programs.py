"""Programs as processes: run with arguments, files and pipes, and what they printed or refused; small corpora."""

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest

from sari.variants import VERSION

ROOT = Path(__file__).resolve().parent.parent
#: A text that no log may have.
SECRET = "a text of a visitor"
COMMAND = [sys.executable, str(ROOT / "score.py")]
#: Names of files that `write_corpus` makes.
FILES = ["--sources", "s.txt", "--outputs", "o.txt", "--references", "r.txt"]
#: The end of every signature.
VERSIONS = f"sacrebleu:{version('sacrebleu')}|version:{VERSION}"

#: The example corpus with two systems, from the root of the project.
SYSTEMS = ["--outputs", "deleting=examples/outputs.txt", "rewriting=examples/outputs.rewriting.txt"]
EXAMPLE = ["--sources", "examples/sources.txt", "--references", "examples/references.0.txt"]
EXAMPLE += ["examples/references.1.txt", "--variant", "easse"]

#: The beginning of a program that can import nothing but what it brings, and what this needs.
ONLY = """
import importlib.metadata as installed, sys
from importlib.machinery import PathFinder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

def bring(name, *extras):
    known = brought.setdefault(canonicalize_name(name), set())
    if known > {*extras}:
        return
    known |= {*extras, ""}
    for requirement in map(Requirement, installed.requires(name) or []):
        if not requirement.marker or any(requirement.marker.evaluate({"extra": extra}) for extra in known):
            bring(requirement.name, *requirement.extras)

class Only(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        is_hidden = name in owners and not brought.keys() & set(map(canonicalize_name, owners[name]))
        return None if is_hidden else super().find_spec(name, path, target)

brought, owners = {}, installed.packages_distributions()
sys.meta_path[sys.meta_path.index(PathFinder)] = Only
"""

# Each n-gram stands where one stands in the example of Xu et al. 2016, so the scores are those of that example, which
# are known from the public implementations.
SOURCE = "Nearly 40 bridges were still standing ."
OUTPUT = "Nearly 40 we later ran off ."
REFERENCES = [
    "Nearly 40 bridges were still counted .",
    "Nearly 40 bridges were later standing .",
    "40 bridges were later standing .",
]


needs_unix = pytest.mark.skipif(os.name != "posix", reason="needs signals, shells and modes of files as Unix has them")

# Variables of the environment that change how Python prints.
_OF_DEVELOPERS = ("PYTHONIOENCODING", "PYTHONUNBUFFERED")


def run(*arguments, folder, data=b"", output=subprocess.PIPE, command=COMMAND, **environment):
    """Run a program, with variables of the environment, and return its process; its lines end as on Unix."""
    of_users = {name: value for name, value in os.environ.items() if name not in _OF_DEVELOPERS}
    process = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=of_users | environment,
        input=data,
        stdout=output,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    process.stdout, process.stderr = (
        text and text.replace(os.linesep.encode(), b"\n") for text in (process.stdout, process.stderr)
    )
    return process


def output_of(process):
    assert process.returncode == 0
    warnings_in(process.stderr.decode())
    return process.stdout.decode()


def warnings_in(said):
    """Return the warnings on standard error; nothing else is there but names of written files, and signatures."""
    lines = [line for line in said.splitlines() if not line.endswith(": written") and ": SARI|" not in line]
    assert [line for line in lines if not line.startswith("score.py: warning: ")] == []
    return [line.removeprefix("score.py: warning: ") for line in lines]


def refusal_of(process):
    """Return the one line of a refusal."""
    assert (process.returncode, process.stdout) == (2, b"")
    (line,) = process.stderr.decode().splitlines()
    assert line.startswith("score.py: error: ")
    return line.removeprefix("score.py: error: ")


def write_corpus(folder, segments, text="a b c d"):
    for name in ("s.txt", "o.txt", "r.txt"):
        (folder / name).write_text("".join(f"{text} {number}\n" for number in range(segments)))


def write_example_of_the_paper(folder):
    """Write the example as text files, and return the arguments that name them."""
    names = ["s.txt", "o.txt", "r0.txt", "r1.txt", "r2.txt"]
    for name, text in zip(names, [SOURCE, OUTPUT, *REFERENCES], strict=True):
        (folder / name).write_text(text + "\n")
    return ["--sources", "s.txt", "--outputs", "o.txt", "--references", "r0.txt", "r1.txt", "r2.txt"]


def example_corpus():
    """Return the example corpus as columns, with both systems."""
    read = {path.stem: path.read_text().splitlines() for path in (ROOT / "examples").glob("*.txt")}
    return {
        "sources": read["sources"],
        "predictions": {"deleting": read["outputs"], "rewriting": read["outputs.rewriting"]},
        "references": list(map(list, zip(read["references.0"], read["references.1"], strict=True))),
    }


def with_system(corpus, name):
    """Return the corpus with the predictions of one system."""
    return {**corpus, "predictions": corpus["predictions"][name]}


def score_of(sari, source, prediction, references, **options):
    texts = {"sources": [source], "predictions": [prediction], "references": [references]}
    return sari.with_options(**options).compute(**texts)["sari"]


@contextmanager
def running_app(folder, port):
    """Run `python app.py` with its log and the files of its visitors in a folder; give its address and process."""
    environment = {
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_TEMP_DIR": str(folder),
    }
    with open(folder / "log", "wb") as sink:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "app.py")],
            cwd=folder,
            env={**os.environ, **environment},
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    try:
        yield address_in(folder / "log", process), process
    finally:
        process.terminate()
        process.wait(30)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def address_in(log, process):
    """Wait until the app has printed its address, and return it."""
    for _ in range(1800):  # a machine that does other things too takes its time
        assert process.poll() is None, log.read_text()
        if printed := re.search(r"local URL:\s+(\S+)\n", log.read_text()):
            return f"{printed[1]}/"
        time.sleep(0.1)
    raise TimeoutError(log.read_text())
