"""What all tests share: the package, caches of their own, the metric, and how tests are spread and reported."""

import atexit
import gc
import json
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from as_package import make_importable

make_importable()

# Before anything imports evaluate: nothing touches the network or the user's own caches. The workers of pytest-xdist
# share a folder, in which each has its own home, and so do the processes that tests start.
if "SARI_TESTS_HOME" not in os.environ:
    os.environ["SARI_TESTS_HOME"] = tempfile.mkdtemp(prefix="sari-tests-")
    atexit.register(shutil.rmtree, os.environ["SARI_TESTS_HOME"], ignore_errors=True)
os.environ["HF_HOME"] = os.path.join(os.environ["SARI_TESTS_HOME"], os.environ.get("PYTEST_XDIST_WORKER", "main"))
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_EVALUATE_OFFLINE"] = "1"
# Tables are as wide as where there is no terminal.
os.environ["COLUMNS"] = "100"
# As many workers as cores are busy already: torch's threads would only be in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# NLTK's data are not ours to ship, and no test downloads: Punkt gets a small model of ours, of abbreviations, words
# that go together, words that begin sentences, and which words stand where (the numbers are NLTK's flags).
_PUNKT = {
    "abbrev_types.txt": "dr\nmr\ne.g\np.m\nu.s\ninc\nst\nb",
    "collocations.tab": "st\tlouis\n##number##\tjune",
    "sent_starters.txt": "the\nit\nthey",
    "ortho_context.tab": "the\t46\nit\t46\na\t62\nb\t12\ncat\t32\nlouis\t14",
}
_NLTK_DATA = Path(os.environ["SARI_TESTS_HOME"], "nltk_data")
for _name, _text in _PUNKT.items():
    _file = _NLTK_DATA / "tokenizers" / "punkt_tab" / "english" / _name
    _file.parent.mkdir(parents=True, exist_ok=True)
    _file.write_text(_text, encoding="utf-8", newline="\n")
os.environ["NLTK_DATA"] = str(_NLTK_DATA)

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"

#: What the requirements beyond requirements-test.txt have: files that import it are not collected without it.
NOT_EVERYWHERE = [
    name.replace("-", "_")
    for file in ("requirements-dev.txt", "requirements-integrations.txt")
    for name in re.findall(r"^[a-z][\w-]*", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
]
#: Fixtures that take long to start: the tests that use one run in one worker.
STARTED_ONCE = ("address", "figures", "memorised", "wheel")

# How long an example takes tells nothing on a machine that does other things too. In CI examples are the same ones each
# time, and fresh ones everywhere else.
settings.register_profile(
    "tests", deadline=None, derandomize=bool(os.environ.get("CI")), suppress_health_check=HealthCheck
)
settings.load_profile("tests")


def runs(examples):
    """Return settings for so many examples, or as many times more as the environment variable EXAMPLES says."""
    return settings(max_examples=examples * int(os.environ.get("EXAMPLES", "1")))


def imported_by(file: Path) -> set[str]:
    """Return the packages that a file of tests imports, itself or through the files beside it."""
    names = set(re.findall(r"^(?:from|import) (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE))
    beside = (file.with_name(f"{name}.py") for name in names)
    return names.union(*(imported_by(helper) for helper in beside if helper.exists()))


def missing_for(file: Path) -> list[str]:
    """Return the packages that a file of tests needs and that this environment lacks."""
    return [name for name in sorted(imported_by(file).intersection(NOT_EVERYWHERE)) if not find_spec(name)]


NOT_COLLECTED = {file.name: missing for file in sorted(TESTS.glob("test_*.py")) if (missing := missing_for(file))}
collect_ignore = list(NOT_COLLECTED)


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the marks
def pytest_collection_modifyitems(items):
    """Keep the tests that share what takes long to start in one worker."""
    for item in items:
        for name in set(STARTED_ONCE) & set(item.fixturenames):
            item.add_marker(pytest.mark.xdist_group(name))


def pytest_collection_finish():
    """Spare the garbage collector what is there to stay: hundreds of modules, and the tests."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Say which files were not run and why."""
    for file, missing in NOT_COLLECTED.items():
        terminalreporter.write_line(f"NOT RUN: {file} (needs {', '.join(missing)})", yellow=True, bold=True)


@pytest.fixture(scope="session")
def checkouts(tmp_path_factory):
    """Made-up checkouts of the repositories that research reads."""
    from published_trees import write_checkouts

    return write_checkouts(tmp_path_factory.mktemp("checkouts"))


@pytest.fixture(scope="session")
def sari():
    """Return the metric, as `evaluate.load` returns it."""
    import evaluate

    return evaluate.load(str(ROOT / "sari.py"))


@pytest.fixture(scope="session", params=["core", "metric"])
def scorer(request):
    """Return what has the methods: a `Scorer`, which needs no `evaluate`, and then the metric."""
    from sari.sari_scorer import Scorer

    return Scorer("hf") if request.param == "core" else request.getfixturevalue("sari")


@pytest.fixture
def tokenizer():
    """Return a tokenizer of transformers, trained on the example corpus."""
    from tiny_trainers import make_tokenizer

    return make_tokenizer()


@pytest.fixture
def without_punkt(monkeypatch):
    """Take NLTK's data away."""
    import nltk

    from sari import languages

    monkeypatch.setattr(nltk.data, "path", [])
    languages.load_function.cache_clear()
    yield
    languages.load_function.cache_clear()


@pytest.fixture
def corpus(tmp_path):
    """Return a folder with text files of three short segments."""
    from programs import write_corpus

    write_corpus(tmp_path, 3)
    return tmp_path


@pytest.fixture
def printed(capsys, monkeypatch):
    """Return a function that runs `score.py` on files of the project, in this process, and returns what it prints.

    Its attribute `warnings` has the warnings of the last run.
    """
    from programs import warnings_in

    from sari.command_line.program import main

    def run(*arguments):
        monkeypatch.chdir(ROOT)
        assert main(list(map(str, arguments))) == 0
        output = capsys.readouterr()
        run.warnings = warnings_in(output.err)
        return output.out

    return run


@pytest.fixture
def printed_json(printed):
    """Return a function that does the same, and returns the JSON that `score.py` prints."""
    return lambda *arguments: json.loads(printed(*arguments, "--format", "json"))


@pytest.fixture
def run_here(capsys, monkeypatch):
    """Return a function that runs `score.py` as `programs.run` does, but in this process, for speed."""
    from programs import COMMAND

    from sari.command_line.program import main

    def run(*arguments, folder):
        monkeypatch.chdir(folder)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # it would stand on standard error
            status = main(list(arguments))
        output = capsys.readouterr()
        return subprocess.CompletedProcess([*COMMAND, *arguments], status, output.out.encode(), output.err.encode())

    return run
