"""The metric from the Hub: a server on this machine has the files as a Space has them, and `evaluate.load` asks it."""

import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from collections import Counter
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from conftest import ROOT
from test_layout import SHIPPED

from sari.sari_scorer import Scorer

TEXTS = {"sources": ["a b c", "d e"], "predictions": ["a b", "e"], "references": [["a b", "a"], ["d"]]}
PREFIX = "/spaces/user/sari/resolve/main/"
LOAD = """
import json, pickle, sys
import evaluate

metric, texts = evaluate.load("user/sari"), json.loads(sys.argv[1])
state = metric.with_options(variant="easse").state()
state.update(**texts)
scores = pickle.loads(pickle.dumps(state)).compute(details=True)
print(json.dumps([metric.compute(**texts, details=True), scores]))
"""


def closure(*names):
    """Return the distributions that packages need, themselves among them."""
    found, waiting = {}, list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # of another Python or platform
            continue
        waiting += [re.match(r"[\w.-]+", line)[0] for line in found[name].requires or () if "extra ==" not in line]
    return found


def make_environment(folder, *names):
    """Return the Python of a new environment that has some packages, what they need, and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for distribution in closure(*names).values():
        for top in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(distribution.locate_file(top))
    return folder / "bin" / "python"


@pytest.fixture
def hub():
    """Return a server's address, and the list of what it was asked for."""
    asked = []

    class Space(SimpleHTTPRequestHandler):
        def send_head(self):
            if self.path.startswith("/spaces/"):
                asked.append((self.command, self.path))
            return super().send_head()

        def translate_path(self, path):
            return str(ROOT / path.removeprefix(PREFIX)) if path.startswith(PREFIX) else ""

        def end_headers(self):
            self.send_header("ETag", f'"{hashlib.sha1(self.path.encode()).hexdigest()}"')
            super().end_headers()

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Space) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def run(python, program, home, *arguments, endpoint=""):
    without = {"HF_EVALUATE_OFFLINE", "HF_HUB_OFFLINE", "PYTHONPATH"}
    environment = {name: value for name, value in os.environ.items() if name not in without}
    options = {"HF_HOME": str(home), "HF_ENDPOINT": endpoint, "HF_UPDATE_DOWNLOAD_COUNTS": "0", "NO_PROXY": "127.0.0.1"}
    return subprocess.run(
        [str(python), "-c", program, *arguments],
        cwd=home.parent,
        env={**environment, **options},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_load_from_the_hub(hub, tmp_path):
    address, asked = hub
    python = make_environment(tmp_path / "environment", "evaluate", "sacrebleu")

    state = Scorer("easse").state()
    state.update(**TEXTS)
    scores = [Scorer("hf").compute(**TEXTS, details=True), state.compute(details=True)]

    def answer():
        """Return what the program prints, and how often it asked for what."""
        asked.clear()
        process = run(python, LOAD, tmp_path / "home", json.dumps(TEXTS), endpoint=address)
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout.splitlines()[-1]), Counter(asked)

    found, first = answer()
    assert found == scores
    # Each file is asked for and downloaded once, and once the tag of the version of `evaluate`, which there is not.
    files = {PREFIX + file.name for file in SHIPPED}
    assert {path: times for (kind, path), times in first.items() if kind == "GET"} == dict.fromkeys(files, 1)
    assert first.total() == 2 * len(files) + 1
    page = " ".join((ROOT / "docs" / "scale.md").read_text(encoding="utf-8").split())
    assert f"downloads {len(files)} files: {first.total()} requests" in page

    found, later = answer()
    assert found == scores
    assert not [path for kind, path in later if kind == "GET"]
    assert later.total() == len(files) + 1
    assert f"changed: {later.total()} requests" in page
    assert f"enough for {3_000 // later.total()} processes" in page


def test_without_sacrebleu_it_is_asked_for(tmp_path):
    python = make_environment(tmp_path / "environment", "evaluate")
    process = run(python, "import evaluate, sys; evaluate.load(sys.argv[1])", tmp_path / "home", str(ROOT / "sari.py"))
    assert process.returncode == 1
    line = process.stderr.splitlines()[-1]
    assert line.startswith("ImportError: To be able to use sari, you need to install the following dependencies")
    assert "pip install sacrebleu" in line
    texts = ROOT / "examples" / "sources.txt"
    command = [str(python), str(ROOT / "score.py"), "--sources", texts, "--outputs", texts, "--references", texts]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (
        2,
        "",
        "score.py: error: No module named 'sacrebleu', which signatures name, "
        "expected what requirements.txt or the extras install\n",
    )
