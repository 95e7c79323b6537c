"""Made-up checkouts: a test set in lines, in JSON Lines and in JSON, with outputs; and collections of ratings."""

import json
import random
from pathlib import Path

import numpy as np
import pandas as pd

WORDS = ["the", "a", "town", "river", "house", "saw", "made", "large", "big", "small", "old", ",", "of", "in", "."]
SENTENCES = 12
SYSTEMS = ("one", "two", "three")


def sentences(seed):
    """Each has its place as its first word, so that an output is near its source."""
    rng = random.Random(seed)
    return [" ".join([f"{place}th", *rng.choices(WORDS, k=rng.randint(3, 9))]) for place in range(SENTENCES)]


ORIGINALS = sentences("originals")
#: Ten references for each of them.
REFERENCES = list(map(list, zip(*(sentences(f"reference {number}") for number in range(10)), strict=True)))
COLUMNS = {"sources": ORIGINALS, "references": REFERENCES}
ORIGINALS_OF_2022 = [f"{text} Now" for text in sentences("2022")]


def write(path, rows):
    """Write lines, or a table in the format of the path's ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(rows, list):
        path.write_text("".join(f"{line}\n" for line in rows), encoding="utf-8")
    elif path.suffix == ".csv":
        rows.to_csv(path, index=False)
    elif path.suffix in (".json", ".jsonl"):
        rows.to_json(path, orient="records", lines=path.suffix == ".jsonl")
    else:
        rows.to_excel(path, index=False)


def write_checkouts(folder: Path) -> Path:
    """Write all of them into a folder, and return it."""
    columns = list(map(list, zip(*REFERENCES, strict=True)))
    for ending, column in {"orig": ORIGINALS, **{f"simp.{number}": own for number, own in enumerate(columns)}}.items():
        write(folder / f"easse/easse/resources/data/test_sets/asset/asset.test.{ending}", column)
    for system in SYSTEMS:
        write(folder / "muss" / f"{system}.pred", sentences(system))
    outputs = [[text, "another"] for text in sentences("one")]
    run = pd.DataFrame({"source": ORIGINALS, "model_output": outputs, "references": REFERENCES})
    write(folder / "BLESS/run.jsonl", run)
    write(folder / "apio/test.json", pd.DataFrame(REFERENCES).add_prefix("ref").assign(text=ORIGINALS))
    _ratings_of_sentences(folder)
    _ratings_of_documents(folder)
    return folder


def _ratings_of_sentences(folder):
    rng = np.random.default_rng(7)
    rated = [(system, place, text) for system in SYSTEMS for place, text in enumerate(sentences(system))]
    rows = pd.DataFrame(rated, columns=["system", "place", "output"])

    def add_ratings(table, *names):
        return table.assign(**{name: rng.uniform(-1, 100, len(table)).round(3) for name in names})

    rows["original"] = [ORIGINALS[place].upper() for place in rows["place"]]
    own = rows.rename(columns={"system": "sys_name", "output": "simp_sent", "original": "orig_sent"})
    file = folder / "metaeval-simplification/data/simplicity_DA.csv"
    write(file, add_ratings(own, "simplicity_zscore", "simplicity"))
    aspects = pd.DataFrame({"aspect": ["simplicity", "fluency"]}).merge(pd.DataFrame({"worker_id": range(3)}), "cross")
    own = rows[:SENTENCES].rename(columns={"output": "simplification"})
    write(folder / "asset/human_ratings/human_ratings.csv", add_ratings(own.merge(aspects, "cross"), "rating"))
    references = pd.DataFrame({"system": "asset.test.simp", "output": ORIGINALS, "original": ORIGINALS})
    past = pd.concat([rows, references]).rename(columns={"output": "processed_generation"})
    write(folder / "LENS/data/simpeval_past.csv", add_ratings(past, "rating_1_z_score", "rating_2_z_score"))
    for name, texts in (("src", ORIGINALS_OF_2022), ("dst", sentences("references of 2022"))):
        write(folder / f"LENS/experiments/meta_evaluation/data/simpeval_2022/references/test.{name}", texts)
    rows["original"] = [ORIGINALS_OF_2022[place] for place in rows["place"]]
    own = rows.rename(columns={"place": "original_id", "output": "generation"})
    write(folder / "LENS/data/simpeval_2022.csv", add_ratings(own, "rating_1_zscore", "rating_2_zscore"))
    rows["original"] += [" then" * (place == 3) for place in rows["place"]]
    names = {"system": "Input.system", "place": "Input.id", "output": "Input.simplified", "original": "Input.original"}
    own = rows.rename(columns=names).merge(pd.DataFrame({"WorkerId": range(2)}), "cross")
    write(folder / "LENS/data/simpDA_2022.csv", add_ratings(own, "Answer.simplicity"))


def _ratings_of_documents(folder):
    """Documents, of which the last is its reference; sheets with a remark below the sentences; language models."""
    rng, (one, two, three) = random.Random(8), map(sentences, SYSTEMS)
    names = ("simplicity-word", "simplicity-sent", "meaning", "simplicity-overall")
    ratings = [[{"name": name, "agg_value": rng.uniform(1, 5)} for name in names] for _ in ORIGINALS]
    references = [[text] for text in [*two[:-1], one[-1]]]
    rows = pd.DataFrame({"original": ORIGINALS, "simplification": one, "references": references, "ratings": ratings})
    write(folder / "document-simplification/meta_evaluation/eval_datasets/dwiki_final.jsonl", rows)
    answers = [[{"name": "Correct answer", "agg_value": 100 / 3 * (place % 4)}] for place in range(SENTENCES)]
    columns = {"original": ORIGINALS, "references": [[text] for text in two], "ratings": answers}
    outputs = {"Original": ORIGINALS, "ours": one, "Elementary": two}
    rows = pd.concat(
        [pd.DataFrame({**columns, "simplification": own, "system": name}) for name, own in outputs.items()]
    )
    write(folder / "document-simplification/meta_evaluation/eval_datasets/qa.jsonl", rows)
    columns["ratings"] = [[{"name": "readability", "agg_value": int(place % 3 == 0)}] for place in range(SENTENCES)]
    rows = pd.DataFrame({**columns, "simplification1": one, "simplification2": three})
    write(folder / "document-simplification/meta_evaluation/eval_datasets/cochrance_lj.jsonl", rows)
    outputs = {"BART": one, "EditNTS": two, "Reference": three}
    rows = [
        {
            "sentence_origin": source,
            "sentence_reference": three[place],
            "sentence_hypothesis": own[place],
            "system": name,
        }
        | {f"score_simplicity_{rater}": rater + place % 2 for rater in (1, 2, 3)}
        for place, source in enumerate(ORIGINALS)
        for name, own in outputs.items()
    ]
    (folder / "jades").mkdir()
    half = len(rows) // 2
    (folder / "jades/jades_manual_scores.json").write_text(json.dumps({"valid": rows[:half], "test": rows[half:]}))
    columns = ["original english sentence", "simple generated sentence", "simple gold sentence", "Simplicity"]
    under = folder / "MultiCochrane/data/eval_data/en/spreadsheets"
    for system, texts in zip(("system1_0", "system2_0.5", "system3_plain"), (one, two, three), strict=True):
        for file in (f"anno1/Copy of en_{system}", f"anno2/en_{system}_anno2", f"anno3/en_{system}"):
            rated = [(*row, rng.randint(-2, 2)) for row in zip(ORIGINALS, texts, two, strict=True)]
            write(under / f"{file}.xlsx", pd.DataFrame([*rated, (None, None, None, 0.5)], columns=columns))
    under = folder / "human-eval-llm-simplification/annotation/likert/exclude_newsela"
    for model, texts in zip(("gpt", "llama", "qwen", "t5"), (one, two, three, ORIGINALS), strict=True):
        raters = [{str(rater): {"simplicity": rng.randint(1, 3)} for rater in range(3)} for _ in texts]
        rated = {"source": [text.upper() for text in ORIGINALS], "simple": texts, "label_annotations": raters}
        files = ["asset", "turk", "simpa"] * (SENTENCES // 3)
        write(under / f"likert_{model}.json", pd.DataFrame({**rated, "source_file": files, "model": model}))
