"""What follows from the options: the names of systems, the files that are read, and options in errors."""

import pytest

from sari.command_line import program
from sari.command_line.arguments import parse
from sari.command_line.program import main
from sari.messages import RefusedImportError, RefusedTypeError, RefusedValueError


def test_files_and_systems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x=y.txt").write_text("a")
    references = ["--references", "r", "q"]
    options = parse(["--sources", "s", "--outputs", "x=o.txt", "a/o.txt.gz", "x=y.txt", *references])
    assert options.outputs == {"x": "o.txt", "o": "a/o.txt.gz", "x=y": "x=y.txt"}
    assert set(options.input_paths) == {"s", "o.txt", "a/o.txt.gz", "x=y.txt", "r", "q"}
    assert (options.variants, set(options.choices.values()), options.resampling) == (["easse"], {None, 4}, {})
    assert options.first_table == {"captions": (), "label": "tab:sari"}
    outputs = ["--outputs", "a/o.txt", "b/o.txt", "\udcff.txt"]
    options = parse(["--sources", "s", *outputs, *references, "--all-pairs", "--report", "x.md"])
    assert options.systems == ["a/o.txt", "b/o.txt", r"\udcff"]
    assert options.resampling == {"confidence": 0.95, "method": "randomization"}
    options = parse(["--jsonl", "a/in.jsonl", "--all-variants", "--no-lowercase", "--encoding", "UTF8"])
    assert (options.systems, options.input_paths, options.encoding) == ((), ["a/in.jsonl"], "utf-8")
    assert (options.choices["lowercase"], options.split) == (False, "test")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RefusedValueError("word_ranks[4]: got 'a'"), "--word-ranks[4]: got 'a'"),
        (
            RefusedImportError("sentence_splitter: no NLTK; or pass a callable from a text"),
            "sentence splitter: no NLTK",
        ),
        (RefusedTypeError("nothing known: 5"), "nothing known: 5"),
    ],
)
def test_errors_name_options(error, message, capsys, monkeypatch):
    def fails(*_):
        raise error

    monkeypatch.setattr(program, "parse", fails)
    assert main([]) == 2
    assert capsys.readouterr().err == f"score.py: error: {message}\n"
