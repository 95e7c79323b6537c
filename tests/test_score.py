"""The command line as people meet it: a process with files, pipes, a terminal and a status; and its `sari` function."""

import csv
import functools
import gzip
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from report.text_files import FileError, LineFile, open_jsonl, open_texts, write_whole

from report import tables
from score import main
from score import sari as score_texts
from variants import VARIANTS, VERSION

ROOT = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, str(ROOT / "score.py")]
FILES = ["--sources", "s.txt", "--outputs", "o.txt", "--references", "r.txt"]

VERSIONS = f"sacrebleu:{version('sacrebleu')}|version:{VERSION}"

# Each n-gram stands where one stands in the example of Xu et al. 2016, so the scores are those of that example, which
# are known from the public implementations.
SOURCE = "Nearly 40 bridges were still standing ."
OUTPUT = "Nearly 40 we later ran off ."
REFERENCES = [
    "Nearly 40 bridges were still counted .",
    "Nearly 40 bridges were later standing .",
    "40 bridges were later standing .",
]


def run(*arguments, folder, data=b"", output=subprocess.PIPE, command=COMMAND):
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        input=data,
        stdout=output,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )


def output_of(process):
    assert (process.returncode, process.stderr) == (0, b"")
    return process.stdout.decode()


def refusal_of(process):
    """Return the one line of a refusal."""
    assert (process.returncode, process.stdout) == (2, b"")
    (line,) = process.stderr.decode().splitlines()
    assert line.startswith("score.py: error: ")
    return line.removeprefix("score.py: error: ")


@pytest.fixture
def paper(tmp_path):
    """Return a folder with the example as text files, and the arguments that name them."""
    names = ["s.txt", "o.txt", "r0.txt", "r1.txt", "r2.txt"]
    for name, text in zip(names, [SOURCE, OUTPUT, *REFERENCES], strict=True):
        (tmp_path / name).write_text(text + "\n")
    return tmp_path, ["--sources", "s.txt", "--outputs", "o.txt", "--references", "r0.txt", "r1.txt", "r2.txt"]


@pytest.fixture
def corpus(tmp_path):
    """Return a folder with three short segments."""
    write_corpus(tmp_path, 3)
    return tmp_path


def write_corpus(folder, segments, text="a b c d"):
    for name in ("s.txt", "o.txt", "r.txt"):
        (folder / name).write_text("".join(f"{text} {number}\n" for number in range(segments)))


# What is printed


def test_default_layout(paper):
    folder, arguments = paper
    assert output_of(run(*arguments, folder=folder)) == (
        "==================================================\n"
        "SARI Score Results\n"
        "==================================================\n"
        "Number of samples: 1\n"
        "\n"
        "  SARI:        26.95\n"
        "    - Keep:    22.53\n"
        "    - Delete:  50.00\n"
        "    - Add:     8.33\n"
        "==================================================\n"
        f"SARI|variant:hf|nrefs:3|case:lc|tok:13a|order:4|level:sentence|del:precision|zero:1|{VERSIONS}\n"
    )


def test_layout_by_order(paper):
    folder, arguments = paper
    text = output_of(run(*arguments, "--by-order", "--max-order", "2", folder=folder))
    assert text.partition("16.67\n")[2] == (
        "==================================================\n"
        "\n"
        "By order: hf\n"
        "Order  Operation  Precision  Recall     F1  Score\n"
        "    1  keep           88.89   47.06  61.54  61.54\n"
        "    1  delete         25.00   33.33  28.57  25.00\n"
        "    1  add            25.00   50.00  33.33  33.33\n"
        "    2  keep           66.67   18.18  28.57  28.57\n"
        "    2  delete         40.00   50.00  44.44  40.00\n"
        "    2  add             0.00    0.00   0.00   0.00\n"
        "\n"
        f"SARI|variant:hf|nrefs:3|case:lc|tok:13a|order:2|level:sentence|del:precision|zero:1|{VERSIONS}\n"
    )


def test_layout_of_all_variants(paper):
    folder, arguments = paper
    text, _, signatures = output_of(run(*arguments, "--all-variants", folder=folder)).partition("SARI|")
    assert text == (
        "==================================================\n"
        "SARI Score Results\n"
        "==================================================\n"
        "Number of samples: 1\n"
        "\n"
        "Variant        SARI   Keep  Delete   Add\n"
        "hf            26.95  22.53   50.00  8.33\n"
        "xu2016        26.83  22.15   50.00  8.33\n"
        "lens          26.83  22.15   50.00  8.33\n"
        "easse         31.35  22.53   63.19  8.33\n"
        "easse_legacy  31.35  22.53   63.19  8.33\n"
        "paper         27.11  22.98   50.00  8.33\n"
        "t2t           26.95  22.53   50.00  8.33\n"
        "lasertagger   31.35  22.53   63.19  8.33\n"
        "set           20.86  17.05   39.29  6.25\n"
        "==================================================\n"
    )
    names = [line.split("|")[1] for line in f"SARI|{signatures}".splitlines()]
    assert names == [f"variant:{name}" for name in VARIANTS]


def test_json_has_one_schema_at_full_precision(paper, sari):
    folder, arguments = paper
    one = json.loads(output_of(run(*arguments, "--format", "json", folder=folder)))
    several = json.loads(output_of(run(*arguments, "--format", "json", "--all-variants", "--by-order", folder=folder)))
    details = sari.compute(sources=[SOURCE], predictions=[OUTPUT], references=[REFERENCES], details=True)
    assert one == {
        "systems": [
            {
                "name": "o",
                "variant": "hf",
                "segments": 1,
                "signature": details["signature"],
                "scores": {name: details[name] for name in tables.SCORES},
                "orders": details["orders"],
            }
        ]
    }
    assert several["systems"][0] == one["systems"][0]
    assert [system["variant"] for system in several["systems"]] == list(sari.variants)
    assert {tuple(system) for system in several["systems"]} == {tuple(one["systems"][0])}


def test_options_reach_the_metric(paper, sari):
    folder, arguments = paper
    options = {
        "variant": "easse",
        "level": "sentence",
        "deletion": "precision",
        "zero_division": 0.5,
        "tokenize": "intl",
        "lowercase": False,
        "max_order": 3,
        "threads": 1,
    }
    switches = ["--variant", "easse", "--level", "sentence", "--deletion", "precision", "--zero-division", "0.5"]
    switches += ["--tokenize", "intl", "--no-lowercase", "--max-order", "3", "--threads", "1", "--format", "json"]
    (system,) = json.loads(output_of(run(*arguments, *switches, folder=folder)))["systems"]
    details = sari.compute(sources=[SOURCE], predictions=[OUTPUT], references=[REFERENCES], details=True, **options)
    assert system["scores"] == {name: details[name] for name in tables.SCORES}
    assert system["signature"] == details["signature"]


# What is read


def test_files_pipes_and_line_endings(tmp_path, sari):
    sources = ["Eins, zwei; drei\x85vier.", "", "Ça\u2028va?\r", "fünf\x1csechs\rsieben"]
    outputs = ["Eins, zwei.", "neu", "", "fünf sechs"]
    references = [["Eins und zwei."], [""], ["Ça va?"], ["fünf"]]
    (tmp_path / "s.txt.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + "\n".join(sources).encode()))
    (tmp_path / "r.txt").write_bytes("".join(f"{row[0]}\r\n" for row in references).encode("utf-8-sig"))
    piped = gzip.compress("".join(f"{text}\n" for text in outputs).encode())
    arguments = ["--sources", "s.txt.gz", "--outputs", "-", "--references", "r.txt", "--format", "json"]
    (system,) = json.loads(output_of(run(*arguments, folder=tmp_path, data=piped)))["systems"]
    assert (system["name"], system["segments"]) == ("stdin", 4)
    expected = sari.compute(
        sources=[text.removesuffix("\r") for text in sources], predictions=outputs, references=references
    )
    assert system["scores"] == expected


def test_jsonl(tmp_path, sari):
    rows = [
        {"source": SOURCE, "prediction": OUTPUT, "references": REFERENCES, "id": 7},
        {"source": "Café \u2028 au lait", "output": "", "references": "un café"},
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\r\n" for row in rows))
    (system,) = json.loads(output_of(run("--jsonl", "in.jsonl", "--format", "json", folder=tmp_path)))["systems"]
    assert (system["name"], system["segments"]) == ("in", 2)
    assert "nrefs:var" in system["signature"]
    assert system["scores"] == sari.compute(
        sources=[row["source"] for row in rows], predictions=[OUTPUT, ""], references=[REFERENCES, ["un café"]]
    )


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r", ["a", "b"]),
        (b"a\r\r\n", ["a\r"]),
        (b"a\rb\x0bc\x0cd\x1ce\x00f\n", ["a\rb\x0bc\x0cd\x1ce\x00f"]),
        ("a\x85b\u2028c\u2029d\n".encode(), ["a\x85b\u2028c\u2029d"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\n", [""]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"\x1f", ["\x1f"]),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines(tmp_path, data, texts, pack):
    path = tmp_path / "texts"
    path.write_bytes(pack(data))
    file = LineFile(str(path))
    assert list(file) == texts
    assert file.lines == len(texts)
    assert file.position == file.size == len(pack(data))
    file.close()


def test_batches_end_at_segments_or_characters(tmp_path):
    write_corpus(tmp_path, 10, "1234567")
    paths = [str(tmp_path / name) for name in ("s.txt", "o.txt", "r.txt")]

    def sizes(**limits):
        corpus = open_texts(*paths[:2], paths[2:])
        batches = list(corpus.batches(**limits))
        corpus.close()
        assert [text for batch in batches for text in batch["sources"]] == [f"1234567 {number}" for number in range(10)]
        return [len(batch["sources"]) for batch in batches]

    assert sizes() == [10]
    assert sizes(segments=5) == [5, 5]
    assert sizes(segments=4) == [4, 4, 2]
    assert sizes(characters=80) == [3, 3, 3, 1]


# What is refused


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"o.txt": None}, "o.txt: No such file or directory, wanted a file to read"),
        ({"o.txt": "folder"}, "o.txt: Is a directory, wanted a file to read"),
        ({"s.txt": b"", "o.txt": b"", "r.txt": b""}, "s.txt: no lines, wanted at least one"),
        ({"o.txt": b"a\n"}, "o.txt:2: the file has 1 line, wanted 3 as in s.txt"),
        ({"r.txt": b"a\nb\n\nd\n"}, "r.txt:4: the file has 4 lines, wanted 3 as in s.txt"),
        ({"s.txt": b"a\nb"}, "o.txt:3: the file has 3 lines, wanted 2 as in s.txt"),
        ({"s.txt": b""}, "o.txt:1: the file has 3 lines, wanted 0 as in s.txt"),
        ({"o.txt": b"a\nb\xe9b\nc\n"}, "o.txt:2: byte 0xe9 is not UTF-8, wanted UTF-8 text"),
        ({"r.txt": b"\xff\xfea\0"}, "r.txt:1: byte 0xff is not UTF-8, wanted UTF-8 text"),
        ({"s.txt": b"a\n\xed\xa0\x80\n"}, "s.txt:2: byte 0xed is not UTF-8, wanted UTF-8 text"),
        (
            {"s.txt": gzip.compress(b"a\nb\nc\n")[:-9]},
            "s.txt:1: cannot be read: Compressed file ended before the end-of-stream marker was reached",
        ),
        ({"s.txt": b"\x1f\x8b" + bytes(20)}, "s.txt:1: cannot be read: Unknown compression method"),
    ],
)
def test_bad_text_files(corpus, files, message):
    for name, data in files.items():
        (corpus / name).unlink()
        if data == "folder":
            (corpus / name).mkdir()
        elif data is not None:
            (corpus / name).write_bytes(data)
    assert refusal_of(run(*FILES, folder=corpus)) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "not JSON: Expecting value at column 1, wanted a JSON object"),
        (b'{"source": "a"', "not JSON: Expecting ',' delimiter at column 15, wanted a JSON object"),
        (b"[1]", "got a list, wanted a JSON object"),
        (b"[" * 100_000, "JSON that is too large to read, wanted a JSON object"),
        (b"1" * 5_000, "JSON that is too large to read, wanted a JSON object"),
        (b"{}", 'no "source" in the object, wanted source, prediction (or output) and references'),
        (
            b'{"source": "a", "references": "b"}',
            'no "prediction" in the object, wanted source, prediction (or output) and references',
        ),
        (
            b'{"source": "a", "prediction": "b"}',
            'no "references" in the object, wanted source, prediction (or output) and references',
        ),
        (
            b'{"source": "a", "prediction": "b", "output": "b", "references": "c"}',
            'both "prediction" and "output" came, wanted one of them',
        ),
        (b'{"source": null, "prediction": "b", "references": "c"}', '"source" is null, wanted a string'),
        (b'{"source": "a", "output": 5.5, "references": "c"}', '"output" is a number, wanted a string'),
        (
            b'{"source": "a", "output": "b", "references": {}}',
            '"references" is an object, wanted a string or a list of strings',
        ),
        (b'{"source": "a", "output": "b", "references": []}', '"references" is empty, wanted at least one string'),
        (
            b'{"source": "a", "output": "b", "references": ["c", true]}',
            '"references" item 2 is true or false, wanted a string',
        ),
        (
            b'{"source": "a\\ud83d", "output": "b", "references": ["c"]}',
            '"source" has the lone surrogate U+D83D, wanted Unicode text',
        ),
    ],
)
def test_bad_jsonl(tmp_path, line, message):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"source": "a", "output": "b", "references": ["c"]}\n' + line + b"\n")
    with pytest.raises(FileError) as error:
        list(open_jsonl(str(path)).batches())
    assert str(error.value) == f"{path}:2: {message}"


def test_bad_jsonl_ends_the_program(tmp_path):
    assert refusal_of(run("--jsonl", "-", folder=tmp_path, data=b"{")).startswith("<stdin>:1: not JSON: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "missing --sources, --outputs, --references: wanted --sources, --outputs and --references, or --jsonl"),
        (FILES[:4], "missing --references: wanted --sources, --outputs and --references, or --jsonl"),
        ([*FILES, "--jsonl", "x"], "--jsonl takes the place of --sources, --outputs and --references"),
        ([*FILES, "--level", "word"], "argument --level: invalid choice: 'word' (choose from "),
        ([*FILES, "--max-order", "0"], "max_order: got 0, wanted a whole number of at least 1"),
        ([*FILES, "--zero-division", "2"], "zero_division: got 2.0, wanted a number from 0 to 1"),
        ([*FILES, "--zero-division", "nan"], "zero_division: got nan, wanted a number from 0 to 1"),
        (
            [*FILES, "--all-variants", "--variant", "set"],
            "argument --variant: not allowed with argument --all-variants",
        ),
        ([*FILES, "--all-variants", "--sentences", "x.tsv"], "--sentences takes the scores of one variant"),
        ([*FILES, "--sentences", "x.csv"], "--sentences: got 'x.csv', wanted a name ending in .tsv or .jsonl"),
        ([*FILES, "--variant", "bleu"], "argument --variant: invalid choice: 'bleu' (choose from "),
        ([*FILES, "--form", "json"], "unrecognized arguments: --form json"),
    ],
)
def test_usage_errors(corpus, arguments, message):
    process = run(*arguments, folder=corpus)
    assert (process.returncode, process.stdout) == (2, b"")
    assert process.stderr.decode().splitlines()[-1].startswith(f"score.py: error: {message}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--sources", "-", "--outputs", "-", "--references", "r.txt"],
            "<stdin>: wanted for one file, came for 2",
        ),
        ([*FILES, "--sentences", "none/x.tsv"], "none/x.tsv: No such folder, wanted a file to write"),
        ([*FILES, "--sentences", "folder.tsv"], "folder.tsv: Is a directory, wanted a file to write"),
        (
            ["--sources", "s.txt", "--outputs", "o.tsv", "--references", "r.txt", "--sentences", "./o.tsv"],
            "./o.tsv: is an input, wanted another file to write",
        ),
    ],
)
def test_arguments_that_cannot_be_followed(corpus, arguments, message):
    (corpus / "folder.tsv").mkdir()
    (corpus / "o.tsv").write_bytes(b"a\nb\nc\n")
    assert refusal_of(run(*arguments, folder=corpus)) == message


def test_refusals_of_the_metric(corpus):
    message = refusal_of(run(*FILES, "--tokenize", "words", folder=corpus))
    assert message.startswith("tokenize: got 'words', wanted ")
    assert refusal_of(run(*FILES, "--threads", "0", folder=corpus)).startswith("threads: got 0, wanted ")


# Sentence scores


def test_sentence_scores_as_tsv(paper, sari):
    folder, arguments = paper
    output_of(run(*arguments, "--sentences", "x.tsv", folder=folder))
    scores = sari.compute(sources=[SOURCE], predictions=[OUTPUT], references=[REFERENCES])
    row = [scores[name] for name in ("sari", "keep", "delete", "add")]
    assert (folder / "x.tsv").read_text() == (
        "segment\tsari\tkeep\tdelete\tadd\n" + "\t".join(["1", *(repr(score) for score in row)]) + "\n"
    )


def test_sentence_scores_as_jsonl_of_a_corpus_level_variant(corpus, sari):
    """The file has a row for every segment scored alone, in order, over more than one batch."""
    write_corpus(corpus, 2_001)
    (corpus / "o.txt").write_text("".join(f"a b {number % 7}\n" for number in range(2_001)))
    (corpus / "x.jsonl").write_text("what stood there before")
    (corpus / "x.jsonl").chmod(0o640)
    output_of(run(*FILES, "--variant", "easse", "--sentences", "x.jsonl", folder=corpus))
    rows = [json.loads(line) for line in (corpus / "x.jsonl").read_text().splitlines()]
    assert [row.pop("segment") for row in rows] == list(range(1, 2_002))
    columns = {name: (corpus / f"{name[0]}.txt").read_text().splitlines() for name in ("sources", "references")}
    outputs = (corpus / "o.txt").read_text().splitlines()
    details = sari.compute(**columns, predictions=outputs, variant="easse", details=True)["sentences"]
    assert rows == [dict(zip(details, row, strict=True)) for row in zip(*details.values(), strict=True)]
    assert (corpus / "x.jsonl").stat().st_mode & 0o777 == 0o640
    assert not [path for path in corpus.iterdir() if path.suffix == ".tmp"]


def test_sentence_scores_are_left_alone_after_a_late_fault(corpus):
    """A fault behind the first batch, when scoring is under way, writes and prints nothing."""
    write_corpus(corpus, 2_500)
    (corpus / "x.tsv").write_text("what stood there before")
    with (corpus / "r.txt").open("ab") as file:
        file.write(b"one more\n")
    before = sorted(corpus.iterdir())
    message = refusal_of(run(*FILES, "--sentences", "x.tsv", folder=corpus))
    assert message == "r.txt:2501: the file has 2501 lines, wanted 2500 as in s.txt"
    assert (corpus / "x.tsv").read_text() == "what stood there before"
    assert sorted(corpus.iterdir()) == before


def test_write_whole_leaves_nothing_behind(tmp_path):
    path = tmp_path / "x.tsv"
    link = tmp_path / "link.tsv"
    path.write_text("before")
    link.symlink_to(path)

    def breaking(error):
        yield "half"
        raise error

    for error, seen in [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, "No space left"), FileError)]:
        with pytest.raises(seen):
            write_whole(str(link), breaking(error))
        assert sorted(tmp_path.iterdir()) == [link, path]
        assert path.read_text() == "before"
    write_whole(str(link), ["after"])
    assert link.is_symlink()
    assert path.read_text() == "after\n"


# How it behaves as a process


@pytest.mark.parametrize("arguments", [["--help"], ["--nonsense"], FILES])
def test_help_and_faults_need_no_heavy_import(tmp_path, arguments):
    process = run(*arguments, folder=tmp_path, command=[sys.executable, "-X", "importtime", str(ROOT / "score.py")])
    imported = {line.rpartition(b"|")[2].strip() for line in process.stderr.splitlines() if b"|" in line}
    assert b"argparse" in imported
    assert not imported & {b"numpy", b"pyarrow", b"pandas", b"datasets", b"evaluate", b"tqdm"}


def test_help_names_every_variant(tmp_path):
    text = output_of(run("--help", folder=tmp_path))
    assert all(f"  {row.name:<14}{row.summary}\n" in text for row in VARIANTS.values())


def test_a_closed_standard_error(tmp_path):
    process = run(*COMMAND, *FILES, folder=tmp_path, command=["sh", "-c", 'exec "$@" 2>&-', "sh"])
    assert (process.returncode, process.stdout) == (2, b"")


def test_missing_packages(corpus):
    """Without the packages of the environment, as with -S, what is missing is said in one line."""
    command = [sys.executable, "-S", str(ROOT / "score.py")]
    message = refusal_of(run(*FILES, folder=corpus, command=command))
    assert message == "No module named 'evaluate', wanted what requirements.txt lists"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_quietly(corpus, number):
    arguments = ["--sources", "-", "--outputs", "o.txt", "--references", "r.txt"]
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=corpus,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Not ignored, as it is in what a shell starts in the background.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        time.sleep(2)  # by now it waits for standard input
        process.send_signal(number)
        assert process.wait(timeout=20) == 128 + number
        assert process.stdout.read() == process.stderr.read() == b""


@pytest.mark.parametrize("arguments", [["--help"], FILES])
def test_a_reader_that_has_gone(corpus, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    process = run(*arguments, folder=corpus, output=writing)
    os.close(writing)
    assert process.stderr == b""
    assert process.returncode == 128 + signal.SIGPIPE


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk(corpus):
    with open("/dev/full", "wb") as full:
        process = run(*FILES, folder=corpus, output=full)
    assert (process.returncode, process.stderr) == (2, b"score.py: error: standard output: No space left on device\n")


def test_progress_bar_shows_on_a_terminal_when_it_takes_long(corpus):
    write_corpus(corpus, 200_000)
    shown, printed = on_a_terminal(corpus, until=b"B/s")
    assert b"Scoring" in shown
    assert printed.startswith(b"=====")


def test_no_progress_bar_when_it_is_quick(corpus):
    shown, printed = on_a_terminal(corpus, until=b"")
    assert shown == b""
    assert printed.startswith(b"=====")


def on_a_terminal(folder, until):
    """Return what came on standard error, a terminal, and on output; the sources come slowly until something shows."""
    terminal, end = pty.openpty()
    arguments = ["--sources", "-", "--outputs", "o.txt", "--references", "r.txt"]
    sources = (folder / "s.txt").read_bytes()
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=end
    ) as process:
        os.close(end)
        shown = b""
        while until not in shown and sources:
            part, sources = sources[:50_000], sources[50_000:]
            process.stdin.write(part)
            process.stdin.flush()
            if select.select([terminal], [], [], 0.3)[0]:
                shown += os.read(terminal, 65_536)
        process.stdin.write(sources)
        process.stdin.close()
        printed = process.stdout.read()
    assert process.returncode == 0
    try:
        while data := os.read(terminal, 65_536):
            shown += data
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    os.close(terminal)
    return shown, printed


def test_memory_does_not_grow_with_the_files(tmp_path):
    """Forty times the text, 40 MB, costs no more than a few megabytes over the first 1 MB."""
    write_corpus(tmp_path, 1_000, "The quick brown fox jumps over the lazy dog. " * 7)
    for name in ("s.txt", "o.txt", "r.txt"):
        (tmp_path / f"big-{name}").write_bytes((tmp_path / name).read_bytes() * 40)
    program = (
        "import resource, sys; sys.path.insert(0, sys.argv[1]); import score\n"
        "for kind in ('', 'big-'):\n"
        "    score.main(['--sources', kind + 's.txt', '--outputs', kind + 'o.txt', '--references', kind + 'r.txt'])\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
    )
    process = run(program, str(ROOT), folder=tmp_path, command=[sys.executable, "-c"])
    small, big = (int(line) for line in process.stderr.split())
    assert b"Number of samples: 40000\n" in process.stdout
    assert big - small < 25_000


def test_function_for_other_programs(sari):
    columns = {"sources": [SOURCE], "predictions": [OUTPUT], "references": [REFERENCES]}
    assert score_texts([SOURCE], [OUTPUT], [REFERENCES]) == sari.compute(**columns)
    options = {"variant": "easse", "details": True}
    assert score_texts([SOURCE], [OUTPUT], [REFERENCES], **options) == sari.compute(**columns, **options)


def test_example_corpus():
    files = [f"examples/{name}" for name in ("sources.txt", "outputs.txt", "references.0.txt", "references.1.txt")]
    arguments = ["--sources", files[0], "--outputs", files[1], "--references", *files[2:]]
    assert "Number of samples: 10\n" in output_of(run(*arguments, folder=ROOT))


# Several systems


SYSTEMS = ["--outputs", "deleting=examples/outputs.txt", "rewriting=examples/outputs.rewriting.txt"]
EXAMPLE = ["--sources", "examples/sources.txt", "--references", "examples/references.0.txt"]
EXAMPLE += ["examples/references.1.txt", "--variant", "easse"]


@pytest.fixture(scope="module")
def example():
    """Return the example corpus as columns, with both systems."""
    read = {path.stem: path.read_text().splitlines() for path in (ROOT / "examples").glob("*.txt")}
    return {
        "sources": read["sources"],
        "predictions": {"deleting": read["outputs"], "rewriting": read["outputs.rewriting"]},
        "references": list(map(list, zip(read["references.0"], read["references.1"], strict=True))),
    }


def printed(capsys, monkeypatch, *arguments):
    """Return what the program prints, run in this process for speed."""
    monkeypatch.chdir(ROOT)
    assert main(list(map(str, arguments))) == 0
    output = capsys.readouterr()
    assert output.err == ""
    return output.out


def test_layout_of_a_comparison(capsys, monkeypatch):
    options = ["--paired-bs", "--confidence", "--baselines", "--resamples", "999"]
    assert printed(capsys, monkeypatch, *EXAMPLE, *SYSTEMS, *options) == (
        "==================================================\n"
        "SARI Score Results\n"
        "==================================================\n"
        "Number of samples: 10\n"
        "\n"
        "System        SARI            95% CI   Keep   Delete     Add    Diff.       p\n"
        "deleting     56.40    [47.74, 64.66]  62.78    77.07   29.35\n"
        "rewriting    73.01*^  [69.25, 76.71]  76.41^   88.94^  53.68^  +16.61  0.0040\n"
        "copy         15.38                    46.14     0.00    0.00\n"
        "empty        26.57                     0.00    79.70    0.00\n"
        "references   50.79                    50.64    80.50   21.24\n"
        "reference 1  50.79                    50.64    80.50   21.24\n"
        "reference 2  50.79                    50.64    80.50   21.24\n"
        "==================================================\n"
        "95% CI: percentile bootstrap over segments, 999 resamples, seed 12345\n"
        "Diff., p: SARI against deleting; two-sided, paired bootstrap, 999 resamples, seed 12345\n"
        "Null hypothesis: a system and deleting are equally good, and differ by chance\n"
        "* the null hypothesis is rejected: p < 0.05\n"
        "^ the best system of the column\n"
        "copy: the sources as outputs; empty: no words\n"
        "reference: each scored against the other references; references: their mean\n"
        "\n"
        f"SARI|variant:easse|nrefs:2|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}\n"
    )


def test_layout_of_intervals_of_one_system(capsys, monkeypatch):
    options = ["--confidence", "0.9", "--seed", "3"]
    text = printed(capsys, monkeypatch, *EXAMPLE, *SYSTEMS[:2], *options)
    assert text.splitlines()[5:] == [
        "  SARI:        56.40  [48.62, 63.73]",
        "    - Keep:    62.78  [54.25, 72.23]",
        "    - Delete:  77.07  [67.56, 84.81]",
        "    - Add:     29.35  [21.14, 37.18]",
        "==================================================",
        "90% CI: percentile bootstrap over segments, 1000 resamples, seed 3",
        "",
        f"SARI|variant:easse|nrefs:2|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}",
    ]


def test_layout_of_an_explanation(capsys, monkeypatch):
    text = printed(capsys, monkeypatch, *EXAMPLE, *SYSTEMS[:2], "--why", "paper")
    assert text.splitlines()[9:] == [
        "==================================================",
        "",
        "From easse to paper, one choice at a time",
        "Choice     From                             To                          SARI  Change",
        "easse                                                                  56.40",
        "deletion   f1                               precision                  60.61   +4.22",
        "averaging  F1 of each order, then the mean  mean over orders, then F1  60.93   +0.31",
        "paper                                                                  60.93   +4.53",
        "",
        f"SARI|variant:easse|nrefs:2|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}",
    ]


def test_markdown(capsys, monkeypatch):
    outputs = ["--outputs", "a|b=examples/outputs.txt", "best_one=examples/outputs.rewriting.txt"]
    text = printed(capsys, monkeypatch, *EXAMPLE, *outputs, "--paired-ar", "--resamples", 99, "--format", "markdown")
    assert text == (
        "| System | SARI | Keep | Delete | Add | Diff. | p |\n"
        "| :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| a\\|b | 56.40 | 62.78 | 77.07 | 29.35 |  |  |\n"
        "| best\\_one | **73.01**\\* | **76.41** | **88.94** | **53.68** | +16.61 | 0.0200 |\n"
        "\n"
        "- Diff., p: SARI against a\\|b; two-sided, paired approximate randomization, 99 trials, seed 12345\n"
        "- Null hypothesis: a system and a\\|b are equally good, and differ by chance\n"
        "- \\* the null hypothesis is rejected: p \\< 0.05\n"
        "- bold: the best system of the column\n"
        "\n"
        f"`SARI|variant:easse|nrefs:2|case:lc|tok:13a|order:4|level:corpus|del:f1|zero:0|{VERSIONS}`  \n"
    )


def test_latex(capsys, monkeypatch):
    outputs = ["--outputs", "a&b=examples/outputs.txt", "best_one=examples/outputs.rewriting.txt"]
    text = printed(capsys, monkeypatch, *EXAMPLE, *outputs, "--paired-ar", "--resamples", 99, "--format", "latex")
    table, _, comments = text.partition("\n\n")
    assert table.splitlines() == [
        r"\begin{tabular}{lrrrrrr}",
        r"\hline",
        r"System & SARI & Keep & Delete & Add & Diff. & p \\",
        r"\hline",
        r"a\&b & 56.40 & 62.78 & 77.07 & 29.35 &  &  \\",
        r"best\_one & \textbf{73.01}$^{*}$ & \textbf{76.41} & \textbf{88.94} & \textbf{53.68} & +16.61 & 0.0200 \\",
        r"\hline",
        r"\end{tabular}",
    ]
    assert all(line.startswith("% ") for line in comments.splitlines())
    assert comments.splitlines()[-1].startswith("% SARI|variant:easse|")


def test_csv_has_the_same_columns_whatever_was_asked_for(capsys, monkeypatch, sari, example):
    plain = printed(capsys, monkeypatch, *EXAMPLE, "--outputs", "examples/outputs.txt", "--format", "csv")
    full = printed(
        capsys, monkeypatch, *EXAMPLE, *SYSTEMS, "--paired-ar", "--confidence", "--baselines", "--format", "csv"
    )
    (alone,) = csv.DictReader(io.StringIO(plain))
    rows = list(csv.DictReader(io.StringIO(full)))
    assert list(alone) == list(rows[0])
    expected = sari.compare(**example, variant="easse", method="randomization")
    for row, (name, scores) in zip(rows, expected["systems"].items(), strict=False):
        assert row["system"] == name
        assert float(row["sari"]) == scores["sari"]
        assert [float(row["add_low"]), float(row["add_high"])] == scores["confidence_intervals"]["add"]
        assert row["signature"] == expected["signature"]
    assert float(rows[1]["keep_p_value"]) == expected["systems"]["rewriting"]["p_values"]["keep"]
    assert [row["system"] for row in rows[2:]] == ["copy", "empty", "references", "reference 1", "reference 2"]
    assert alone["sari_low"] == alone["sari_p_value"] == rows[0]["sari_p_value"] == rows[2]["sari_low"] == ""


def test_json_of_a_comparison(capsys, monkeypatch, sari, example):
    options = ["--paired-bs", "--confidence", "--baselines", "--why", "hf", "--format", "json"]
    report = json.loads(printed(capsys, monkeypatch, *EXAMPLE, *SYSTEMS, *options))
    expected = sari.compare(**example, variant="easse", details=True)
    assert list(report) == ["systems", "baselines", "explanations", "resampling"]
    for system, (name, scores) in zip(report["systems"], expected["systems"].items(), strict=True):
        assert system["name"] == name
        assert system["scores"] == {score: scores[score] for score in tables.SCORES}
        for key in ("orders", "confidence_intervals", "differences", "p_values"):
            assert system.get(key) == scores.get(key)
    del example["predictions"], expected["systems"]
    assert {row["name"]: row["scores"] for row in report["baselines"]} == sari.baselines(**example, variant="easse")
    assert report["resampling"] == {key: expected[key] for key in report["resampling"]}
    assert [row["name"] for row in report["explanations"]] == ["deleting", "rewriting"]
    assert report["explanations"][0]["steps"][0]["sari"] == report["systems"][0]["scores"]["sari"]


def test_every_variant_of_several_systems_has_its_own_best(capsys, monkeypatch):
    text = printed(capsys, monkeypatch, *EXAMPLE[:-2], *SYSTEMS, "--all-variants")
    lines = text.splitlines()[5:24]
    assert lines[0].split() == ["System", "Variant", "SARI", "Keep", "Delete", "Add"]
    assert [line.split()[1] for line in lines[1:]] == [name for name in VARIANTS for _ in range(2)]
    assert all(("^" in line) == line.startswith("rewriting") for line in lines[1:])
    assert "\nNote: xu2016, lens, t2t, lasertagger, set: sources, predictions and references do not look" in text


def test_notes_come_with_every_format(capsys, monkeypatch, tmp_path):
    (tmp_path / "x.txt").write_text((ROOT / "examples" / "sources.txt").read_text())
    arguments = [*EXAMPLE, "--outputs", tmp_path / "x.txt"]
    message = "10 of 10 predictions are the same as their sources"
    assert printed(capsys, monkeypatch, *arguments).endswith(f"\n\nNote: {message}\n")
    note = {"category": "CopiedOutputsWarning", "message": message}
    assert json.loads(printed(capsys, monkeypatch, *arguments, "--format", "json"))["notes"] == [note]
    for form, shown in {"markdown": f"> Note: {message}", "latex": f"% Note: {message}", "csv": f",{message}"}.items():
        assert printed(capsys, monkeypatch, *arguments, "--format", form).rstrip().endswith(shown)


def test_names_of_systems(capsys, monkeypatch, tmp_path):
    text = (ROOT / "examples" / "outputs.txt").read_text()
    for name in ("a/out.txt", "b/out.txt", "x=y.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in ("a/out.txt", "b/out.txt", "x=y.txt")]
    arguments = [*EXAMPLE, "--outputs", *paths, f"mine={paths[0]}", "--format", "json"]
    report = json.loads(printed(capsys, monkeypatch, *arguments))
    assert [system["name"] for system in report["systems"]] == [*paths[:2], "x=y", "mine"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*FILES, "--outputs", "o.txt"], "--outputs: got 'o.txt' twice, wanted a name for each: NAME=FILE"),
        ([*FILES, "--outputs", "o=r.txt", "o=s.txt"], "--outputs: got 'o' twice, wanted a name for each: NAME=FILE"),
        ([*FILES, "--paired-ar"], "--paired-bs and --paired-ar compare systems, wanted two or more --outputs"),
        ([*FILES, "--outputs", "r.txt", "--sentences", "x.tsv"], "--sentences takes the scores of one system"),
        ([*FILES, "--all-variants", "--why", "hf"], "--why explains the difference to --variant, not --all-variants"),
        ([*FILES, "--by-order", "--format", "csv"], "--by-order goes with the other formats, not csv"),
        ([*FILES, "--paired-ar", "--paired-bs"], "argument --paired-bs: not allowed with argument --paired-ar"),
        ([*FILES, "--why", "bleu"], "argument --why: invalid choice: 'bleu' (choose from "),
    ],
)
def test_usage_errors_of_comparisons(corpus, arguments, message):
    process = run(*arguments, folder=corpus)
    assert (process.returncode, process.stdout) == (2, b"")
    assert process.stderr.decode().splitlines()[-1].startswith(f"score.py: error: {message}")


def test_refusals_of_comparisons(corpus):
    assert refusal_of(run(*FILES, "--confidence", "95", folder=corpus)) == (
        "confidence: got 95.0, wanted a number between 0 and 1"
    )
    (corpus / "short.txt").write_text("a\n")
    assert refusal_of(run(*FILES, "--outputs", "short.txt", folder=corpus)) == (
        "short.txt:2: the file has 1 line, wanted 3 as in s.txt"
    )


def test_sentence_scores_with_intervals(corpus, capsys, monkeypatch):
    monkeypatch.chdir(corpus)
    assert main([*FILES, "--sentences", "plain.tsv"]) == 0
    assert main([*FILES, "--sentences", "x.tsv", "--confidence"]) == 0
    assert (corpus / "x.tsv").read_text() == (corpus / "plain.tsv").read_text()
    assert capsys.readouterr().err == ""
