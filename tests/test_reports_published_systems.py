"""Where a score stands among published systems: known test sets, options, and words; rows made up and stored."""

import json
import re
from dataclasses import replace
from itertools import chain

import pytest

from sari.reports import published_systems as module
from sari.reports.published_systems import KINDS, PublishedScore, find_standing, published_scores, texts_digest
from sari.reports.score_report import ScoreRow
from sari.variants import VARIANTS, resolve_variant

SOURCES, REFERENCES = ["one two", "three"], [["a b", "c"], ["d", "e"]]
SYSTEMS = {"low": ("system", 30.04, 50), "high": ("system", 44.16, 40), "us": ("people", 44.9, 45)}
SYSTEMS["no"] = ("failed", 43)
ROWS = [
    PublishedScore(test_set="Made up", variant=variant, name=name, kind=kind, sari=sari)
    for name, (kind, *scores) in {**SYSTEMS, "copy": ("copy", 20.0)}.items()
    for variant, sari in zip(("easse", "hf"), scores, strict=False)
]


@pytest.fixture
def stored(monkeypatch):
    monkeypatch.setattr(module, "published_scores", lambda: {texts_digest(SOURCES, REFERENCES): ROWS})


@pytest.mark.usefixtures("stored")
def test_systems_of_a_report_stand_among_published_ones():
    ours = ScoreRow(name="ours", variant="easse", segments=2, signature="", scores={"sari": 43.5})
    results = [ours, replace(ours, name="other", variant="hf")]
    table = find_standing(SOURCES, REFERENCES, VARIANTS["easse"]).table(results, digits=2)
    kinds = [("us", "baseline"), ("high", ""), ("ours", "yours"), ("no", "failed"), ("low", ""), ("copy", "baseline")]
    assert [(row[0].text, row[1].text) for row in table.rows] == kinds
    assert (table.texts, table.apart, table.notes[-1][:8]) == (2, [2], "failed: ")
    table = find_standing(SOURCES, REFERENCES, VARIANTS["hf"]).table(results, digits=2)
    assert [row[0].text for row in table.rows] == ["low", "us", "other", "high"]  # not those without a score
    assert table.notes == []


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("sources", "references", "variant", "test_set", "reason"),
    [
        # A test set is known whatever its whitespace and the order of references.
        (["one \u2003two ", "\tthree\u00a0"], [["c", "a\u3000b"], ["e", " d"]], VARIANTS["easse"], "Made up", ""),
        (["one two", "Three"], REFERENCES, VARIANTS["easse"], "", "none of Made up"),
        (SOURCES, [["a b"], ["d"]], VARIANTS["easse"], "", "none of Made up"),
        (SOURCES[::-1], REFERENCES[::-1], VARIANTS["easse"], "", "none of Made up"),
        # Published scores have the options of a variant.
        (SOURCES, REFERENCES, resolve_variant("easse", lowercase=False), "Made up", "by easse without lowercase=False"),
        (SOURCES, REFERENCES, resolve_variant("hf", max_order=2), "Made up", "by hf without max_order=2"),
        (SOURCES, REFERENCES, VARIANTS["set"], "Made up", "not been scored by set"),
    ],
)
def test_what_is_known(sources, references, variant, test_set, reason):
    standing = find_standing(sources, references, variant)
    assert (standing.variant, standing.test_set, bool(standing.rows)) == (variant.label, test_set, not reason)
    assert reason in standing.reason


@pytest.mark.usefixtures("stored")
def test_on_the_command_line(printed, tmp_path):
    for name, lines in {"sources": SOURCES, "one": ["a b", "d"], "two": ["c", "e"]}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    sources, *references = (tmp_path / name for name in ("sources", "one", "two"))
    given = ["--sources", sources, "--outputs", sources, "--references", *references, "--quiet"]
    printed(*given, "--report", tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text())["test_set"] == "Made up"
    given.append("--published")
    found = printed(*given, "--variant", "easse", "--format", "markdown")
    names = re.findall(r"^\| (low|high|us|copy|sources)\b", found, re.MULTILINE)
    assert names == ["us", "high", "low", "copy", "sources"]
    assert "without max_order=1" in printed(*given, "--variant", "easse", "--max-order", "1")


def test_the_stored_file():
    """It has the figures that papers print, of MUSS, ACCESS and DRESS, and of PBMT-R, as the README does."""
    test_sets = published_scores().values()
    assert len({rows[0].test_set for rows in test_sets}) == len(test_sets) == 5
    rows = list(chain.from_iterable(test_sets))
    assert {row.kind for row in rows} == set(KINDS)
    found = {(row.test_set, row.name, row.variant): row.sari for row in rows}
    for printed, *key in (
        (42.65, "ASSET", "MUSS (mined)", "easse"),
        (41.38, "TurkCorpus", "ACCESS", "easse"),
        (41.87, "TurkCorpus (tokenized)", "ACCESS", "easse_legacy"),
        (27.48, "PWKP", "Dress", "star"),
        (47.75, "PWKP", "PBMT-R", "hf"),
    ):
        assert found[tuple(key)] == pytest.approx(printed, abs=0.00501), key
