"""Where a score stands among published systems: known test sets, options, and words; rows made up and stored."""

import re
from dataclasses import replace
from itertools import chain

import pytest

from sari.command_line.program import main
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
def test_rows_are_sorted_by_the_variant():
    standing = find_standing(SOURCES, REFERENCES, VARIANTS["easse"])
    assert [(each.name, each.sari) for each in standing.rows] == [
        ("us", 44.9),
        ("high", 44.16),
        ("no", 43),  # which words do not name
        ("low", 30.04),
        ("copy", 20.0),
    ]
    names = [each.name for each in find_standing(SOURCES, REFERENCES, VARIANTS["hf"]).rows]
    assert names == ["low", "us", "high"]  # not the row without a score


@pytest.mark.usefixtures("stored")
def test_failed_systems_are_called_so():
    ours = ScoreRow(name="ours", variant="easse", segments=2, signature="", scores={"sari": 43.5})
    table = find_standing(SOURCES, REFERENCES, VARIANTS["easse"]).table(
        [ours, replace(ours, name="other", variant="hf")]
    )
    kinds = {row[0].text: row[1].text for row in table.rows}
    assert kinds == {"us": "baseline", "high": "", "ours": "yours", "no": "failed", "low": "", "copy": "baseline"}
    assert table.notes[-1].startswith("failed: ")


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("sources", "references", "variant", "test_set", "reason"),
    [
        # A test set is known whatever its whitespace and the order of references.
        (["one  two ", "\tthree\u00a0"], [["c", "a b"], ["e", " d"]], VARIANTS["easse"], "Made up", ""),
        (["one\u2003two", "three"], [["a\u3000b", "c"], ["d", "e"]], VARIANTS["easse"], "Made up", ""),
        (["one two", "Three"], REFERENCES, VARIANTS["easse"], "", "none of Made up"),
        (SOURCES[:1], REFERENCES[:1], VARIANTS["easse"], "", "none of Made up"),
        (SOURCES, [["a b"], ["d"]], VARIANTS["easse"], "", "none of Made up"),
        (["onetwo", "three"], REFERENCES, VARIANTS["easse"], "", "none of Made up"),
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
def test_the_command_line_shows_them(tmp_path, capsys):
    texts = {"sources": SOURCES, "outputs": SOURCES, "one": ["a b", "d"], "two": ["c", "e"]}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    files = {name: str(tmp_path / name) for name in texts}
    command = ["--sources", files["sources"], "--outputs", files["outputs"], "--references", files["one"], files["two"]]
    command += ["--variant", "easse", "--published"]
    assert main(command) == 0
    printed = capsys.readouterr().out
    names = re.findall(r"^(low|high|us|copy|outputs) .* \d+\.\d\d$", printed, re.MULTILINE)
    assert names == ["us", "high", "low", "copy", "outputs"]
    assert main([*command, "--max-order", "1"]) == 0
    assert "without max_order=1" in " ".join(capsys.readouterr().out.split())


def test_the_stored_file():
    test_sets = published_scores().values()
    assert len({rows[0].test_set for rows in test_sets}) == len(test_sets) == 5
    for rows in test_sets:
        assert {row.test_set for row in rows} == {rows[0].test_set}
        assert {row.kind for row in rows} <= set(KINDS)
        for row in rows:
            assert 0 <= row.sari <= 100


def test_printed_figures_of_the_stored_file():
    """Figures of MUSS, ACCESS and DRESS, as their papers print them, and of PBMT-R, as the README does."""
    rows = chain.from_iterable(published_scores().values())
    found = {(row.test_set, row.name, row.variant): row.sari for row in rows}
    for printed, *key in (
        (42.65, "ASSET", "MUSS (mined)", "easse"),
        (44.15, "ASSET", "MUSS (WikiLarge + mined)", "easse"),
        (40.13, "ASSET", "ACCESS", "easse"),
        (41.38, "TurkCorpus", "ACCESS", "easse"),
        (41.87, "TurkCorpus (tokenized)", "ACCESS", "easse_legacy"),
        (27.48, "PWKP", "Dress", "star"),
        (47.75, "PWKP", "PBMT-R", "hf"),
    ):
        assert found[tuple(key)] == pytest.approx(printed, abs=0.00501), key
