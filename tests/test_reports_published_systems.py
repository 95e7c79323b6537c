"""Where a score stands among published systems: known test sets, options, and words; rows made up and stored."""

import json
import re

import pytest

from sari.command_line.program import main
from sari.reports import published_systems as module
from sari.reports.published_systems import (
    KINDS,
    PublishedScore,
    PublishedSystem,
    Standing,
    find_standing,
    published_systems,
    texts_digest,
)
from sari.variants import VARIANTS, resolve_variant

SOURCES, REFERENCES = ["one two", "three"], [["a b", "c"], ["d", "e"]]


def row(name, easse, kind="system", **scores):
    own = {variant: PublishedScore(value) for variant, value in {"easse": easse, **scores}.items()}
    return PublishedSystem(
        test_set="Made up", texts=texts_digest(SOURCES, REFERENCES), kind=kind, name=name, scores=own
    )


ROWS = [
    row("low", 30.04, hf=50),
    row("high", 44.16, hf=40),
    row("us", 44.9, "people", hf=45),
    row("copy", 20.0, "copy"),
]


@pytest.fixture
def stored(monkeypatch):
    monkeypatch.setattr(module, "published_systems", lambda: ROWS)


@pytest.mark.usefixtures("stored")
def test_rows_are_sorted_by_the_variant():
    standing = find_standing(SOURCES, REFERENCES, VARIANTS["easse"])
    assert [(each.name, each.sari) for each in standing.rows] == [
        ("us", 44.9),
        ("high", 44.16),
        ("low", 30.04),
        ("copy", 20.0),
    ]
    names = [each.name for each in find_standing(SOURCES, REFERENCES, VARIANTS["hf"]).rows]
    assert names == ["low", "us", "high"]  # not the row without a score


@pytest.mark.parametrize(
    ("score", "where", "figures"),
    [
        (43.06, "between low high", ["43.1", "30.0", "44.2", "44.9"]),
        (44.158, "between low high", ["44.2", "30.0", "44.2", "44.9"]),
        (60, "above high", ["60.0", "44.2", "44.9"]),
        (5, "below low", ["5.0", "30.0", "44.9"]),
    ],
)
@pytest.mark.usefixtures("stored")
def test_in_words(score, where, figures):
    """The score, the systems next to it, and what people get."""
    words = find_standing(SOURCES, REFERENCES, VARIANTS["easse"]).in_words(score)
    assert re.findall(r"\d+\.\d+", words) == figures
    assert re.findall(r"\b(?:between|above|below|low|high)\b", words) == where.split()
    assert "Made up" in words


@pytest.mark.usefixtures("stored")
def test_the_outputs_of_a_public_system_are_known_by_their_score():
    standing = find_standing(SOURCES, REFERENCES, VARIANTS["easse"])
    (high,) = (row for row in standing.rows if row.name == "high")
    assert standing.in_words(high.sari) == f"On Made up, {high.sari:.1f} is the score of high."
    assert " by easse " in standing.in_words(high.sari, names_variant=True)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("sources", "references"),
    [
        (["one  two ", "\tthree\u00a0"], [["c", "a b"], ["e", " d"]]),
        (["one\u2003two", "three"], [["a\u3000b", "c"], ["d", "e"]]),
    ],
)
def test_test_sets_are_known_whatever_their_whitespace_and_the_order_of_references(sources, references):
    assert find_standing(sources, references, VARIANTS["easse"]).test_set == "Made up"


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("sources", "references"),
    [
        (["one two", "Three"], REFERENCES),
        (SOURCES[:1], REFERENCES[:1]),
        (SOURCES, [["a b"], ["d"]]),
        (["onetwo", "three"], REFERENCES),
        (SOURCES[::-1], REFERENCES[::-1]),
    ],
)
def test_other_texts_are_not(sources, references):
    standing = find_standing(sources, references, VARIANTS["easse"])
    assert standing == Standing("easse", "", [], standing.reason)
    assert "Made up" in standing.reason  # the test sets that are known
    assert standing.in_words(40) == standing.reason


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("variant", "named"),
    [
        (resolve_variant("easse", lowercase=False), ["easse", "lowercase=False"]),
        (resolve_variant("hf", max_order=2), ["hf", "max_order=2"]),
        (VARIANTS["set"], ["set"]),
    ],
)
def test_other_options_have_no_published_scores(variant, named):
    standing = find_standing(SOURCES, REFERENCES, variant)
    assert standing == Standing(variant.label, "Made up", [], standing.reason)
    assert [name for name in ("Made up", *named) if name not in standing.reason] == []


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], ["low (30.0)", "people", "44.9"]),
        (["--max-order", "1"], ["Made up", "easse", "max_order=1"]),
    ],
)
def test_the_command_line_shows_them(options, shown, tmp_path, capsys):
    texts = {"sources": SOURCES, "outputs": SOURCES, "one": ["a b", "d"], "two": ["c", "e"]}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    files = {name: str(tmp_path / name) for name in texts}
    command = ["--sources", files["sources"], "--outputs", files["outputs"], "--references", files["one"], files["two"]]
    command += ["--variant", "easse", "--published", *options]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert [fact for fact in shown if fact not in " ".join(printed.split())] == []
    names = re.findall(r"^(low|high|us|copy) .* \d+\.\d\d$", printed, re.MULTILINE)
    assert names == ([] if options else ["us", "high", "low", "copy"])
    assert main([*command, "--format", "json"]) == 0
    (published,) = json.loads(capsys.readouterr().out)["published"]
    assert [row["name"] for row in published["rows"]] == ([] if options else ["us", "high", "low", "copy"])
    assert main([*command, "--format", "latex"]) == 0
    assert "2 segments of Made up, 2 references" in capsys.readouterr().out  # in the paragraph


def test_the_stored_file():
    rows = published_systems()
    assert {each.kind for each in rows} == set(KINDS)
    assert len({each.texts for each in rows}) == len({each.test_set for each in rows}) == 5
    for each in rows:
        for score in each.scores.values():
            assert 0 <= score.value <= 100
            assert score.low is None or score.low - 0.01 <= score.value <= score.high + 0.01


def test_printed_figures_of_the_stored_file():
    """Figures of MUSS, ACCESS and DRESS, as their papers print them, and of PBMT-R, as the README does."""
    found = {(each.test_set, each.name): each.scores for each in published_systems()}
    for place, variant, printed in (
        (("ASSET", "MUSS (mined)"), "easse", 42.65),
        (("ASSET", "MUSS (WikiLarge + mined)"), "easse", 44.15),
        (("ASSET", "ACCESS"), "easse", 40.13),
        (("TurkCorpus", "ACCESS"), "easse", 41.38),
        (("TurkCorpus (tokenized)", "ACCESS"), "easse_legacy", 41.87),
        (("PWKP", "Dress"), "star", 27.48),
        (("PWKP", "PBMT-R"), "hf", 47.75),
    ):
        assert found[place][variant].value == pytest.approx(printed, abs=0.00501), place
