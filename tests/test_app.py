"""The front matter of the Space, which starts the app."""

import re
from importlib.metadata import version

from programs import ROOT, free_port, running_app


def test_the_reloader_finds_the_page(tmp_path, monkeypatch):
    """As `gradio app.py` starts it."""
    monkeypatch.setenv("GRADIO_WATCH_DIRS", str(tmp_path))
    monkeypatch.setenv("GRADIO_WATCH_MODULE_NAME", "app")
    monkeypatch.setenv("GRADIO_WATCH_DEMO_PATH", str(ROOT / "app.py"))
    with running_app(tmp_path, free_port()):
        text = (tmp_path / "log").read_text()
    assert "demo" in text
    assert "not found" not in text


def test_front_matter_is_what_is_pinned():
    front = (ROOT / "README.md").read_text("utf-8").split("---\n")[1]
    values = dict(line.split(": ", 1) for line in front.splitlines() if ": " in line)
    pinned = re.search(r"^gradio==(.+)$", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    assert pinned is not None
    assert values["sdk_version"] == pinned[1] == version("gradio")
    assert (values["sdk"], values["app_file"]) == ("gradio", "app.py")
    assert (3, 11) <= tuple(map(int, values["python_version"].strip('"').split("."))) <= (3, 14)
    assert {"evaluate", "metric"} <= set(re.findall(r"[\w-]+", values["tags"]))
