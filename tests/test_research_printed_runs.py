"""Figures that repositories print for each run, on made-up checkouts."""

import pytest
from published_trees import checkouts, files_of, sentences, texts_of, write_lines

from sari.research.catalogue import TABLES
from sari.research.public_systems import PUBLIC_OUTPUTS, TEST_SETS
from sari.research.repositories import BLESS
from sari.sari_scorer import Scorer
from sari.text_files.errors import FileError

# Texts made up for the rows of a table resemble those of other rows.
pytestmark = pytest.mark.filterwarnings("ignore:.* look shifted by one line:UserWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return checkouts(tmp_path_factory.mktemp("checkouts"))


def score(test_set, outputs):
    sources, references = texts_of(test_set)
    return Scorer("easse").compute(sources=sources, predictions=outputs, references=references)


def test_every_run_of_bless_is_compared_with_the_file_next_to_it(folder):
    (row,) = (row for row in PUBLIC_OUTPUTS if "ul2" in row.systems)
    found = {outcome.name: outcome for outcome in TABLES["bless"].compute(folder)}
    for test_set in (TEST_SETS[0], TEST_SETS[-1]):
        for file in files_of(row.files[test_set.name].format("ul2")):
            name, scores = file.removesuffix(".jsonl").replace("/", " "), score(test_set, sentences(file))
            own = {each: found[f"{name}: {each}"] for each in ("sari", "keep", "delete", "add")}
            assert {each: outcome.published for each, outcome in own.items()} == {
                "sari": "5.0",
                "keep": "3.0",
                "delete": "4.0",
                "add": "2.0",
            }
            assert {each: outcome.ours for each, outcome in own.items()} == pytest.approx(scores, abs=1e-9)


def test_means_of_the_runs_of_muss(folder):
    found = {outcome.name: outcome for outcome in TABLES["muss"].compute(folder)}
    files = files_of("turkcorpus/test/muss_bart_access_mined/*.pred")
    mean = sum(score(TEST_SETS[1], sentences(file))["sari"] for file in files) / len(files)
    outcome = found["muss_bart_access_mined on turkcorpus, mean of 2"]
    assert (outcome.published, outcome.ours) == ("40.85", pytest.approx(mean, abs=1e-9))


def test_runs_of_apio(folder):
    found = {outcome.name: outcome for outcome in TABLES["apio"].compute(folder)}
    (file,) = files_of("outputs/gpt-4o_text_simplification/evaluated_prompts_test/zero-shot_gpt-4o_[0-9]*[0-9].txt")
    outcome = found["zero-shot_gpt-4o"]
    assert outcome.published == "47.16"
    assert outcome.ours == pytest.approx(score(TEST_SETS[0], sentences(file))["sari"], abs=1e-9)


def test_a_run_without_printed_figures_is_refused(tmp_path):
    root = checkouts(tmp_path)
    file = BLESS.paths(root, "*/asset-test*.jsonl")[0].with_suffix(".eval")
    write_lines(file, ["bleu", "1"])
    with pytest.raises(FileError, match="no figures in it"):
        TABLES["bless"].compute(root)
