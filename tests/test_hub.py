"""The metric from the Hub: a server on this machine has the files as a Space has them, and `evaluate.load` asks it."""

import json
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from conftest import ROOT
from four_segments import run
from programs import ONLY
from test_layout import SHIPPED

from sari.sari_scorer import Scorer

TEXTS = {"sources": ["a b c", "d e"], "predictions": ["a b", "e"], "references": [["a b", "a"], ["d"]]}
PREFIX = "/spaces/user/sari/resolve/main"
LOAD = """
bring("evaluate")
bring("sacrebleu")
import json, pickle
import evaluate

metric, texts = evaluate.load("user/sari"), json.loads(sys.argv[1])
state = metric.with_options(variant="easse").state()
state.update(**texts)
scores = pickle.loads(pickle.dumps(state)).compute(details=True)
print(json.dumps([metric.compute(**texts, details=True), scores]))
"""


@pytest.fixture
def hub(tmp_path):
    """Return a server's address, and the list of what it was asked for."""
    asked = []
    files = tmp_path / PREFIX[1:]
    files.parent.mkdir(parents=True)
    files.symlink_to(ROOT)

    class Space(SimpleHTTPRequestHandler):
        def end_headers(self):
            self.send_header("ETag", f'"{hash(self.path)}"')
            super().end_headers()

        def log_request(self, *_):
            if self.path.startswith("/spaces/"):
                asked.append((self.command, self.path))

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Space, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_load_from_the_hub(hub, tmp_path, monkeypatch):
    """Where there is nothing but `evaluate`, sacreBLEU, and what these need."""
    monkeypatch.chdir(tmp_path)
    address, asked = hub
    online = dict.fromkeys(("HF_EVALUATE_OFFLINE", "HF_HUB_OFFLINE", "HF_UPDATE_DOWNLOAD_COUNTS"), "0")
    here = {"HF_ENDPOINT": address, "NO_PROXY": "127.0.0.1", "HF_HOME": "home", "PYTHONPATH": ""}
    load = partial(run, ONLY + LOAD, json.dumps(TEXTS), **online, **here)
    state = Scorer("easse").state()
    state.update(**TEXTS)
    scores = [Scorer("hf").compute(**TEXTS, details=True), state.compute(details=True)]

    assert load() == scores
    first = Counter(asked)
    # Each file is asked for and downloaded once, and once the tag of the version of `evaluate`, which there is not.
    files = {f"{PREFIX}/{file.name}" for file in SHIPPED}
    assert {path: times for (kind, path), times in first.items() if kind == "GET"} == dict.fromkeys(files, 1)
    assert first.total() == 2 * len(files) + 1
    page = " ".join((ROOT / "docs" / "scale.md").read_text(encoding="utf-8").split())
    assert f"downloads {len(files)} files, with {first.total()} requests" in page

    asked.clear()
    assert load() == scores
    later = Counter(asked)
    assert not [path for kind, path in later if kind == "GET"]
    assert later.total() == len(files) + 1
    assert f"changed, with {later.total()} requests" in page
    assert f"enough for {3_000 // later.total()} processes" in page
