"""Made-up checkouts, with the files and columns of those that published figures are computed from."""

import csv
import json
import random
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from sari.research.measure_tables import NARAYAN_GARDENT, XU2016_MEASURES
from sari.research.printed_runs import PRINTED_RUNS
from sari.research.public_systems import PUBLIC_OUTPUTS, TEST_SETS
from sari.research.repositories import APIO, EASSE, REFERENCE_SETS, numbered
from sari.research.system_scores import SYSTEM_SCORES

HAS_OPENPYXL = find_spec("openpyxl") is not None
WORDS = ["the", "a", "town", "river", "house", "saw", "made", "large", "big", "small", "old", ",", "of", "in", "."]
SENTENCES = 12
SYSTEMS = ("one", "two", "three")
#: Files with the same sentences.
SHARED = dict.fromkeys([texts.sources for texts in REFERENCE_SETS.values()], REFERENCE_SETS["ASSET"].sources)


def sentences(seed, number=SENTENCES):
    rng = random.Random(SHARED.get(seed, seed))
    return [" ".join(rng.choices(WORDS, k=rng.randint(3, 9))) for _ in range(number)]


#: The sources of ASSET, TurkCorpus and HSplit.
ORIGINALS = sentences(REFERENCE_SETS["ASSET"].sources)
OUTPUTS = [(system, place, output) for system in SYSTEMS for place, output in enumerate(sentences(system))]


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame(rows)
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif HAS_OPENPYXL:
        table.to_excel(path, index=False)


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def checkouts(folder: Path) -> Path:
    """Write all of them into a folder, each under its own name, and return it."""
    corpora = [(EASSE, texts.sources, texts) for texts in REFERENCE_SETS.values()]
    corpora += [(row.repository, row.texts.sources, row.texts) for row in TEST_SETS if row.texts.references]
    (muss,) = (table for table in PRINTED_RUNS if table.name == "muss")
    corpora += [(EASSE, figure.outputs, figure.texts) for figure in muss.figures]
    for table in SYSTEM_SCORES:
        corpora += [(*table.repositories, figure.outputs, figure.texts) for figure in table.figures]
    for table in (NARAYAN_GARDENT, XU2016_MEASURES):
        corpora += [(*table.repositories, row.outputs, table.texts) for row in table.systems.values()]
    for repository, outputs, texts in corpora:
        for name in (outputs, texts.sources, *texts.references):
            write_lines(folder / repository.name.split("/")[1] / repository.folder / name, sentences(name))
    for name in (REFERENCE_SETS["ASSET"].sources, *REFERENCE_SETS["ASSET"].references):
        write_lines(folder / "asset/dataset" / Path(name).name, sentences(name))
    _public_outputs(folder)
    _ratings_of_sentences(folder)
    _ratings_of_2022(folder / "LENS")
    _newer_ratings(folder)
    return folder


def files_of(pattern):
    """Return the names of two files that a pattern matches, or of one if it matches only one."""
    named = pattern.replace("[0-9]*[0-9]", "47.16").replace("[eE]", "e")
    return list(dict.fromkeys(named.replace("*", run) for run in ("p0_1", "p1_2")))


def texts_of(test_set):
    """Return the sources and references of a test set."""
    name, columns = test_set.texts.sources, test_set.texts.references or numbered("medical {}", range(1))
    return sentences(name), list(zip(*map(sentences, columns), strict=True))


def _public_outputs(folder):
    """Write runs of every system on every test set; in JSON Lines with figures next to them, and a list of outputs."""
    by_name = {test_set.name: test_set for test_set in TEST_SETS}
    medical = by_name["Med-EASi"]
    rows = [(medical.repository, medical, medical.texts.sources)]
    for outputs in PUBLIC_OUTPUTS:
        for name, pattern in outputs.files.items():
            patterns = [pattern.format(part) for part in outputs.systems.values()]
            rows += [(outputs.repository, by_name[name], file) for each in patterns for file in files_of(each)]
    for repository, test_set, file in rows:
        path = folder / repository.name.split("/")[1] / repository.folder / file
        if path.suffix != ".jsonl":
            write_lines(path, sentences(file))
            continue
        sources, references = texts_of(test_set)
        texts = zip(sources, sentences(file), references, strict=True)
        lines = [{"source": one, "model_output": [two, "another"], "references": own} for one, two, own in texts]
        write_lines(path, map(json.dumps, lines))
        write_lines(path.with_suffix(".eval"), ["bleu;sari_add;sari_keep;sari_del;sari", "1;2.0;3.0;4.0;5.0"])
    asset = by_name["ASSET"].texts
    columns = {"text": asset.sources} | {f"ref{place}": name for place, name in enumerate(asset.references)}
    texts = zip(*map(sentences, columns.values()), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in texts]
    write_lines(folder / APIO.name.split("/")[1] / "text_simplification/data/test_asset_359.json", [json.dumps(rows)])


def _rated(rng, row, *names):
    return {**row, **{name: round(rng.uniform(-1, 100), 3) for name in names}}


def _ratings_of_sentences(folder):
    rng = random.Random(7)
    for file, rating in (("simplicity_DA", "simplicity_zscore"), ("structural_simplicity", "structural_simplicity")):
        rows = [
            _rated(rng, {"sent_id": place + 1, "sys_name": system, "simp_sent": output}, rating, "simplicity")
            for system, place, output in OUTPUTS
        ]
        write_table(folder / f"metaeval-simplification/data/{file}.csv", rows)
    rows = [
        _rated(rng, {"original_sentence_id": place, "simplification": output, "aspect": aspect}, "rating")
        for place, output in enumerate(sentences("one"))
        for aspect in ("simplicity", "fluency")
        for _ in range(3)
    ]
    write_table(folder / "asset/human_ratings/human_ratings.csv", rows)
    raters = [f"rating_{number}_z_score" for number in range(1, 6)]
    references = [("asset.test.simp", place, output) for place, output in enumerate(ORIGINALS)]
    rows = [
        _rated(rng, {"original": ORIGINALS[place].upper(), "processed_generation": output, "system": system}, *raters)
        for system, place, output in (*OUTPUTS, *references)
    ]
    write_table(folder / "LENS/data/simpeval_past.csv", rows)


def _ratings_of_2022(folder):
    rng = random.Random(9)
    originals = [f"{text} Now" for text in sentences("2022")]
    for name, texts in (("src", originals), ("dst", sentences("references of 2022"))):
        write_lines(folder / f"experiments/meta_evaluation/data/simpeval_2022/references/test.{name}", texts)
    raters = [f"rating_{number}{ending}" for number in range(1, 4) for ending in ("", "_zscore")]
    rows, others = [], []
    for system, place, output in OUTPUTS:
        kind = ("Paraphrases", "Splittings", "Deletions")[place % 3]
        row = {"original_id": place, "original": originals[place], "generation": output, "system": system}
        rows.append(_rated(rng, {**row, "sentence_type": kind}, *raters))
        original = originals[place] + (" then" if place == 3 else "")
        row = {"Input.id": place, "Input.original": original, "Input.simplified": output, "Input.system": system}
        others += [_rated(rng, row, "Answer.simplicity") for _ in range(2)]
    write_table(folder / "data/simpeval_2022.csv", rows)
    write_table(folder / "data/simpDA_2022.csv", others)


def _newer_ratings(folder):
    """Documents, of which the last is its reference; sheets with a remark below the sentences; language models."""
    rng, (one, two, three) = random.Random(8), map(sentences, SYSTEMS)
    names = ("simplicity-word", "simplicity-sent", "meaning", "simplicity-overall")
    documents = [
        {
            "original": ORIGINALS[place],
            "simplification": output,
            "references": [output if place == SENTENCES - 1 else two[place]],
            "ratings": [{"name": name, "agg_value": rng.uniform(1, 5)} for name in names],
        }
        for place, output in enumerate(one)
    ]
    under = folder / "document-simplification/meta_evaluation/eval_datasets"
    write_lines(under / "dwiki_final.jsonl", map(json.dumps, documents))
    columns = ["original english sentence", "simple generated sentence", "simple gold sentence"]
    under = folder / "MultiCochrane/data/eval_data/en/spreadsheets"
    for system, texts in zip(("system1_0", "system2_0.5", "system3_plain"), (one, two, three), strict=True):
        rows = pd.DataFrame(zip(ORIGINALS, texts, two, strict=True), columns=columns).to_dict("records")
        for file in (f"anno1/Copy of en_{system}", f"anno2/en_{system}_anno2", f"anno3/en_{system}"):
            rated = [{**row, "Simplicity": rng.randint(-2, 2)} for row in rows]
            write_table(under / f"{file}.xlsx", [*rated, {"Simplicity": 0.5}])
    for model, texts in zip(("gpt", "llama", "qwen", "t5"), (one, two, three, ORIGINALS), strict=True):
        rows = [
            {
                "source": ORIGINALS[place].upper(),
                "simple": output,
                "source_file": ("asset", "turk", "simpa")[place % 3],
                "model": model,
                "label_annotations": {str(rater): {"simplicity": rng.randint(1, 3)} for rater in range(3)},
            }
            for place, output in enumerate(texts)
        ]
        under = folder / "human-eval-llm-simplification/annotation/likert/exclude_newsela"
        write_lines(under / f"likert_{model}.json", [json.dumps(rows)])
