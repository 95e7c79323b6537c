"""The hook for the Trainer, in real runs: the same number as scoring the decoded texts."""

import re

import numpy as np
import pytest
import torch
from tiny_trainers import (
    CASES,
    REFERENCES,
    SEGMENTS,
    SOURCES,
    decode,
    hook_for,
    make_dataset,
    make_tokenizer,
    make_trainer,
    of_evaluation,
    output_of_example,
    predictions_of,
)


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.mark.parametrize("options", [{}, {"variant": "easse"}, {"variant": "xu2016", "tokenize": "none"}], ids=str)
def test_generation_with_several_references(sari, tokenizer, tmp_path, options):
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES, **options)
    trainer = make_trainer(tmp_path, tokenizer, hook)
    texts = predictions_of(trainer, tokenizer)
    assert len(set(texts)) > 1
    found = of_evaluation(trainer.evaluate())
    assert found == sari.compute(sources=SOURCES, predictions=texts, references=REFERENCES, **options)
    assert all(type(score) is float for score in found.values())


def test_training_chooses_the_best_model_by_sari(sari, tokenizer, tmp_path):
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    trainer = make_trainer(
        tmp_path,
        tokenizer,
        hook,
        num_train_epochs=3,
        learning_rate=1e-2,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="sari",
    )
    trainer.train()
    scores = [entry["eval_sari"] for entry in trainer.state.log_history if "eval_sari" in entry]
    assert len(scores) == 3
    assert trainer.state.best_metric == max(scores)
    assert trainer.evaluate()["eval_sari"] == max(scores)


def test_without_raw_texts_inputs_and_labels_are_decoded(sari, tokenizer, tmp_path):
    trainer = make_trainer(tmp_path, tokenizer, sari.compute_metrics(tokenizer), include_for_metrics=["inputs"])
    texts = predictions_of(trainer, tokenizer)
    rows = trainer.eval_dataset
    sources, labels = (
        tokenizer.batch_decode(rows[name][:], skip_special_tokens=True) for name in ("input_ids", "labels")
    )
    expected = sari.compute(sources=sources, predictions=texts, references=labels)
    assert of_evaluation(trainer.evaluate()) == expected


def test_inputs_that_are_not_included_are_asked_for(sari, tokenizer, tmp_path):
    trainer = make_trainer(tmp_path, tokenizer, sari.compute_metrics(tokenizer, references=REFERENCES))
    with pytest.raises(ValueError, match=r'^sources: got none and no inputs, .*include_for_metrics=\["inputs"\]'):
        trainer.evaluate()


@pytest.mark.parametrize("batch_size", [1, 4, 10])
@pytest.mark.parametrize("reduced", [True, False])
def test_logits(sari, tokenizer, tmp_path, reduced, batch_size):
    # A T5 answers with a tuple: logits and the encoder's states. The score must not depend on how rows are padded.
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    trainer = make_trainer(tmp_path, tokenizer, hook, generate=False, per_device_eval_batch_size=batch_size)
    model, texts = trainer.model.eval(), []
    for row in trainer.eval_dataset:
        with torch.no_grad():
            logits = model(
                **{name: torch.tensor([row[name]]) for name in ("input_ids", "attention_mask", "labels")}
            ).logits
        texts += decode(tokenizer, logits.argmax(-1))
    if not reduced:
        trainer.preprocess_logits_for_metrics = None
    found = of_evaluation(trainer.evaluate())
    assert found == sari.compute(sources=SOURCES, predictions=texts, references=REFERENCES)


@pytest.mark.parametrize("generate", [True, False])
def test_labels_that_are_padded_on_the_left(sari, tokenizer, tmp_path, generate):
    """They begin with -100, but for the longest of a batch, and hide no prompts: the model has an encoder."""
    scores = []
    for side in ("right", "left"):
        padding = make_tokenizer()
        padding.padding_side = side
        hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
        scores.append(of_evaluation(make_trainer(tmp_path, padding, hook, generate=generate).evaluate()))
    assert scores[0] == scores[1]


@pytest.mark.parametrize("arguments", [{}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}], ids=str)
@pytest.mark.parametrize(("length", "batch_size"), [(None, 3), (1, 3), (3, 1)], ids=["whole", "cut", "cut, one by one"])
def test_labels_that_the_model_pads(sari, tokenizer, tmp_path, arguments, length, batch_size):
    """Behind the -100 of their batch stands the model's own padding, up to the length that it generates by itself."""
    references = [[" ".join(row[0].split()[: 3 + place % 4])] for place, row in enumerate(REFERENCES)]
    labels = [[" ".join(text.split()[:length])] for (text,) in references]
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=references)
    chosen = {
        **arguments,
        "eval_dataset": make_dataset(tokenizer, references=labels),
        "per_device_eval_batch_size": batch_size,
    }
    trainer = make_trainer(tmp_path, tokenizer, hook, **chosen)
    trainer.model.generation_config.max_length = 60
    found = of_evaluation(trainer.evaluate())
    trainer.args.eval_do_concat_batches = True
    texts = predictions_of(trainer, tokenizer)
    assert found == sari.compute(sources=SOURCES, predictions=texts, references=references)


def test_labels_that_are_all_cut_at_one_length(sari, tokenizer, tmp_path):
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    rows = make_dataset(tokenizer).map(lambda row: {"labels": row["labels"][:12]})
    trainer = make_trainer(tmp_path, tokenizer, hook, generate=False, eval_dataset=rows)
    with pytest.raises(ValueError, match=r"^label_ids: got labels without the ends of their references, in 10 of 10"):
        trainer.evaluate()


def test_preprocessing_reduces_what_the_trainer_keeps(sari, tokenizer, tmp_path):
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    assert hook.preprocess_logits_for_metrics is sari.preprocess_logits_for_metrics
    trainer = make_trainer(tmp_path, tokenizer, hook, generate=False)
    kept = trainer.predict(trainer.eval_dataset).predictions
    assert kept.ndim == 2
    assert kept.dtype == np.int64


@pytest.mark.parametrize("generate", [True, False])
@pytest.mark.parametrize("include", [[], ["inputs"]])
def test_batch_by_batch(sari, tokenizer, tmp_path, generate, include):
    texts = {} if include else {"sources": SOURCES, "references": REFERENCES}
    scores = []
    for arguments in ({}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}):
        hook = sari.compute_metrics(tokenizer, **texts)
        trainer = make_trainer(tmp_path, tokenizer, hook, generate=generate, include_for_metrics=include, **arguments)
        scores += [of_evaluation(trainer.evaluate()) for _ in range(2)]
    assert scores == scores[:1] * 6


def test_every_evaluation_set_has_its_own_texts(sari, tokenizer, tmp_path):
    parts = {"first": slice(0, 5), "second": slice(5, 10)}
    hook = sari.compute_metrics(
        tokenizer,
        sources={name: SOURCES[part] for name, part in parts.items()},
        references={name: REFERENCES[part] for name, part in parts.items()},
    )
    datasets = {name: make_dataset(tokenizer, SOURCES[part], REFERENCES[part]) for name, part in parts.items()}
    trainer = make_trainer(tmp_path, tokenizer, hook, eval_dataset=datasets)
    found = trainer.evaluate()
    for name, part in parts.items():
        trainer.eval_dataset = datasets[name]
        texts = predictions_of(trainer, tokenizer)
        expected = sari.compute(sources=SOURCES[part], predictions=texts, references=REFERENCES[part])
        assert of_evaluation(found, f"eval_{name}") == expected


def test_a_reordered_evaluation_set_is_refused(sari, tokenizer, tmp_path):
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    trainer = make_trainer(tmp_path, tokenizer, hook)
    in_order = of_evaluation(trainer.evaluate())
    swapped = [1, 0, *range(2, SEGMENTS)]
    with pytest.raises(ValueError, match=r"^references: wanted the order .* row 0 of it is .*, row 1 of these$"):
        trainer.evaluate(trainer.eval_dataset.select(swapped))
    with pytest.raises(ValueError, match=r"^sources: got 10 rows, wanted 9, as many as the evaluation set has$"):
        trainer.evaluate(trainer.eval_dataset.select(range(9)))
    assert of_evaluation(trainer.evaluate()) == in_order


def test_two_processes(sari, tokenizer, tmp_path, two_processes):
    """Ten rows for two processes with batches of three: the Trainer repeats two rows, which must not count."""
    found = [entry for entry in two_processes if entry["case"] != "callback"]
    assert len(found) == 2 * len(CASES)
    for index, (generate, raw, arguments) in enumerate(CASES):
        here = make_trainer(tmp_path, tokenizer, hook_for(sari, tokenizer, raw), generate=generate, **arguments)
        alone = of_evaluation(here.evaluate())
        for entry in found:
            if entry["case"] == index:
                assert (entry["processes"], entry["scores"]) == (2, alone)


def test_the_example(capsys, monkeypatch, tmp_path):
    """The example runs as it is, with less to learn."""
    output = output_of_example(capsys, monkeypatch, tmp_path, "train.py", "--epochs", "1", "--sentences", "320")
    before, after = map(float, re.search(r"SARI before training (\S+), after (\S+)\n$", output).groups())
    assert after > before
