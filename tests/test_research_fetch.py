"""`python research fetch`: git itself, with repositories of this machine in place of GitHub's."""

import subprocess

import pytest
from published_trees import write

from sari.research import fetch
from sari.research.__main__ import main
from sari.research.files import read_table


def git(folder, *arguments):
    command = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repositories(tmp_path, monkeypatch):
    """Two repositories, one of which has a newer commit than the stored one, and a table with both."""
    rows = ["repository,commit"]
    for name in ("one/x", "two/y"):
        folder = tmp_path / "github" / name
        write(folder / "texts.txt", ["old"])
        git(folder, "init", "-q")
        git(folder, "config", "uploadpack.allowFilter", "true")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "old")
        rows.append(f"{name},{git(folder, 'rev-parse', '--short=7', 'HEAD')}")
    write(folder / "texts.txt", ["new"])
    git(folder, "commit", "-qam", "new")
    write(tmp_path / "repositories.csv", rows)
    monkeypatch.setattr(fetch, "REPOSITORIES", tmp_path / "repositories.csv")
    settings = {"COUNT": "1", "KEY_0": f"url.file://{tmp_path}/github/.insteadOf", "VALUE_0": "https://github.com/"}
    for name, value in settings.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    return tmp_path


def test_the_stored_commits_are_brought(repositories, capsys):
    """What is there stays as it is."""
    folder = repositories / "checkouts"
    write(folder / "x/mine.txt", ["mine"])
    assert main(["fetch", str(folder)]) == 0
    assert "x: is there already" in capsys.readouterr().err
    assert {path.name for path in folder.iterdir()} == {"x", "y"}
    assert (folder / "y/texts.txt").read_text() == "old\n"
    assert not (folder / "x/texts.txt").exists()
    assert git(folder / "y", "rev-parse", "HEAD").startswith(read_table(fetch.REPOSITORIES)["commit"][1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["fetch"], "fetch: expected FOLDER alone"), (["fetch", "here", "--store"], "fetch: expected FOLDER alone")],
)
def test_what_fetch_needs(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert message in capsys.readouterr().err


def test_a_repository_that_git_cannot_bring(repositories, capsys):
    """Nothing of it is left in the folder."""
    write(repositories / "repositories.csv", ["repository,commit", "one/x,0000000"])
    with pytest.raises(SystemExit, match="2"):
        main(["fetch", str(repositories / "checkouts")])
    assert "one/x: " in capsys.readouterr().err
    assert list((repositories / "checkouts").iterdir()) == []
