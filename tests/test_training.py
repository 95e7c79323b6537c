"""The hook for the Trainer, in real runs: the same number as scoring the decoded texts."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
    set_seed,
)

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SCORES = ["sari", "keep", "delete", "add"]


def lines(name):
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


SOURCES = lines("sources.txt")
REFERENCES = [list(pair) for pair in zip(lines("references.0.txt"), lines("references.1.txt"), strict=True)]
OUTPUTS = lines("outputs.txt")
SEGMENTS = len(SOURCES)


def make_tokenizer(vocab_size=400, normalizer=None):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False)
    tokenizer.train_from_iterator([*SOURCES, *OUTPUTS, *(text for row in REFERENCES for text in row)], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def make_model(tokenizer, extra_outputs=7):
    """Return a tiny model that answers at random, also with ids that the tokenizer does not have."""
    set_seed(3)
    return T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(tokenizer) + extra_outputs,
            d_model=32,
            d_kv=16,
            d_ff=32,
            num_layers=1,
            num_heads=2,
            pad_token_id=0,
            eos_token_id=1,
            decoder_start_token_id=0,
            tie_word_embeddings=False,
            initializer_factor=5.0,
        )
    )


def make_dataset(tokenizer, sources=SOURCES, references=REFERENCES, max_length=None):
    rows = [{"source": source, "target": row[0]} for source, row in zip(sources, references, strict=True)]
    return Dataset.from_list(rows).map(
        lambda row: tokenizer(
            "simplify: " + row["source"],
            text_target=row["target"],
            truncation=max_length is not None,
            max_length=max_length,
        ),
        remove_columns=["source", "target"],
    )


def make_trainer(folder, tokenizer, compute_metrics, *, generate=True, eval_dataset=None, **arguments):
    model = make_model(tokenizer)
    common = {
        "output_dir": str(folder),
        "per_device_eval_batch_size": 3,
        "report_to": "none",
        "use_cpu": True,
        "disable_tqdm": True,
    }
    chosen = {
        "model": model,
        "eval_dataset": make_dataset(tokenizer) if eval_dataset is None else eval_dataset,
        "train_dataset": make_dataset(tokenizer),
        "processing_class": tokenizer,
        "data_collator": DataCollatorForSeq2Seq(tokenizer, model=model),
        "compute_metrics": compute_metrics,
    }
    if generate:
        args = Seq2SeqTrainingArguments(predict_with_generate=True, generation_max_length=20, **(common | arguments))
        return Seq2SeqTrainer(args=args, **chosen)
    return Trainer(
        args=TrainingArguments(**(common | arguments)),
        preprocess_logits_for_metrics=compute_metrics.preprocess_logits_for_metrics,
        **chosen,
    )


def decode(tokenizer, ids):
    """Return the texts of ids, one by one: what the hook should see."""
    return [
        tokenizer.decode([token for token in row if 0 <= token < len(tokenizer)], skip_special_tokens=True)
        for row in ids.tolist()
    ]


def of_evaluation(metrics, prefix="eval"):
    return {name: metrics[f"{prefix}_{name}"] for name in SCORES}


def predictions_of(trainer, tokenizer):
    """Return the texts that the Trainer's model generates, without the hook."""
    hook, trainer.compute_metrics = trainer.compute_metrics, None
    try:
        return decode(tokenizer, trainer.predict(trainer.eval_dataset).predictions)
    finally:
        trainer.compute_metrics = hook


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


# ---- Real runs -------------------------------------------------------------------------------------------------------


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


def test_two_processes(sari, tokenizer, tmp_path):
    """Ten rows for two processes with batches of three: the Trainer repeats two rows, which must not count."""
    scores = tmp_path / "scores.jsonl"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", __file__]
    env = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, str(scores), str(tmp_path)], env=env, capture_output=True, text=True, timeout=170, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line) for line in scores.read_text().splitlines()]
    assert len(found) == 2 * len(CASES)
    for index, (generate, raw, arguments) in enumerate(CASES):
        here = make_trainer(tmp_path, tokenizer, hook_for(sari, tokenizer, raw), generate=generate, **arguments)
        alone = of_evaluation(here.evaluate())
        for entry in found:
            if entry["case"] == index:
                assert (entry["processes"], entry["scores"]) == (2, alone)


CASES = [
    (True, True, {}),
    (True, False, {"include_for_metrics": ["inputs"]}),
    (True, True, {"batch_eval_metrics": True}),
    (False, True, {}),
]


def hook_for(sari, tokenizer, raw):
    return sari.compute_metrics(tokenizer, **({"sources": SOURCES, "references": REFERENCES} if raw else {}))


def evaluate_in_this_process(scores, folder):
    """Evaluate every case and append what this process found: what the processes of `test_two_processes` do."""
    import evaluate

    sari, tokenizer = evaluate.load(str(ROOT / "sari.py")), make_tokenizer()
    for index, (generate, raw, arguments) in enumerate(CASES):
        trainer = make_trainer(folder, tokenizer, hook_for(sari, tokenizer, raw), generate=generate, **arguments)
        entry = {"case": index, "processes": trainer.args.world_size, "scores": of_evaluation(trainer.evaluate())}
        with open(scores, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    torch.distributed.destroy_process_group()


# ---- What the Trainer hands over, piece by piece ---------------------------------------------------------------------


def evaluated(tokenizer, predictions=OUTPUTS, labels=None, inputs=None, padding=-100):
    """Return what the Trainer makes of texts."""

    def padded(texts):
        rows = [tokenizer(text)["input_ids"] for text in texts]
        table = np.full((len(rows), max(map(len, rows)) + 2), padding)
        for line, row in zip(table, rows, strict=True):
            line[: len(row)] = row
        return table

    labels = [row[0] for row in REFERENCES] if labels is None else labels
    return SimpleNamespace(
        predictions=padded(predictions), label_ids=padded(labels), inputs=None if inputs is None else padded(inputs)
    )


@pytest.fixture
def hook(sari, tokenizer):
    return sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)


@pytest.fixture
def expected(sari):
    return sari.compute(sources=SOURCES, predictions=OUTPUTS, references=REFERENCES)


@pytest.mark.parametrize("padding", [-100, 0, 10**6])
def test_padding(hook, tokenizer, expected, padding):
    assert hook(evaluated(tokenizer, padding=padding)) == expected


def test_tensors(hook, tokenizer, expected):
    arrays = evaluated(tokenizer)
    tensors = {name: torch.tensor(array) for name, array in vars(arrays).items() if array is not None}
    assert hook(SimpleNamespace(**tensors)) == expected
    labels = tensors["label_ids"][:, :-3]  # as wide as none of the predictions, which are not what was trained then
    logits = torch.nn.functional.one_hot(tensors["predictions"].clamp(min=0)).bfloat16()
    assert hook(SimpleNamespace(predictions=(logits, None), label_ids=(labels,))) == expected


@pytest.mark.parametrize(
    "labels",
    [
        [row[1] for row in REFERENCES],
        [row[0][: len(row[0]) // 2] for row in REFERENCES],
        [row[0].lower() for row in REFERENCES],
        ["In short: " + row[0] for row in REFERENCES],
        [""] * SEGMENTS,
    ],
    ids=["another reference", "truncated", "case", "prefix", "empty"],
)
def test_labels_that_are_in_order(sari, expected, labels):
    # Characters that the tokenizer does not know are lost.
    tokenizer = make_tokenizer(normalizer=normalizers.NFC())
    hook = sari.compute_metrics(tokenizer, sources=SOURCES, references=REFERENCES)
    assert hook(evaluated(tokenizer, labels=labels)) == expected


def test_labels_that_lost_characters(sari):
    sources, references = ["Ångström é", "Łódź ü"], [["Ωμέγα ж A"], ["日本 щ B"]]
    tokenizer = make_tokenizer()
    hook = sari.compute_metrics(tokenizer, sources=sources, references=references)
    found = hook(evaluated(tokenizer, predictions=["A", "B"], labels=[row[0] for row in references]))
    assert found == sari.compute(sources=sources, predictions=["A", "B"], references=references)
    with pytest.raises(ValueError, match="wanted the order of the evaluation set"):
        hook(evaluated(tokenizer, predictions=["A", "B"], labels=[row[0] for row in references[::-1]]))


def test_labels_of_other_texts_are_refused(hook, tokenizer):
    with pytest.raises(ValueError, match=r"row 0 of it is 'zzz yyy', row 0 of these 'The lighthouse .* \.\.\.'$"):
        hook(evaluated(tokenizer, labels=["zzz yyy"] * SEGMENTS))


def test_inputs_show_the_order_of_sources(sari, tokenizer):
    labels = [row[0] for row in REFERENCES]
    hook = sari.compute_metrics(tokenizer, sources=SOURCES)
    prompts = ["simplify: " + source for source in SOURCES]
    assert hook(evaluated(tokenizer, inputs=prompts)) == sari.compute(
        sources=SOURCES,
        predictions=OUTPUTS,
        references=tokenizer.batch_decode(tokenizer(labels)["input_ids"], skip_special_tokens=True),
    )
    with pytest.raises(ValueError, match=r"^sources: wanted the order of the evaluation set"):
        hook(evaluated(tokenizer, inputs=prompts[::-1]))


def test_a_fault_leaves_nothing_behind(hook, tokenizer, expected):
    half = evaluated(tokenizer, OUTPUTS[:5], [row[0] for row in REFERENCES[:5]])
    assert hook(half, compute_result=False) == {}
    with pytest.raises(ValueError, match="got 10 rows, wanted 15"):
        hook(evaluated(tokenizer), compute_result=True)
    assert hook(evaluated(tokenizer)) == expected


def test_sets_that_cannot_be_told_apart_are_refused(sari, tokenizer):
    hook = sari.compute_metrics(
        tokenizer,
        sources={"other": SOURCES[::-1], "plain": SOURCES},
        references={"other": REFERENCES, "plain": REFERENCES},
    )
    with pytest.raises(ValueError, match=r"^got an evaluation set that may be any of other, plain, wanted"):
        hook(evaluated(tokenizer))
    assert hook(evaluated(tokenizer, inputs=SOURCES)) == sari.compute(
        sources=SOURCES, predictions=OUTPUTS, references=REFERENCES
    )
    with pytest.raises(
        ValueError, match=r"^got an evaluation set that is none of other, plain: other: references: .*; plain"
    ):
        hook(evaluated(tokenizer, labels=[row[0] for row in REFERENCES[::-1]]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sources": SOURCES, "references": REFERENCES[1:]}, "references: got 9 rows, wanted 10, as many as sources"),
        ({"sources": [*SOURCES[1:], None]}, "sources[9]: got NoneType, wanted str"),
        ({"sources": {"a": SOURCES}, "references": REFERENCES}, "references: got list, wanted a dict with"),
        ({"sources": {"a": SOURCES}, "references": {"b": REFERENCES}}, "references: got b, wanted a dict with"),
        ({"references": {"a": [[]]}}, "a: references[0]: got no reference, wanted at least one"),
        ({"variant": "bleu"}, "variant: got 'bleu', wanted one of hf, "),
    ],
    ids=["lengths", "kind", "a dict and a list", "other names", "within a set", "option"],
)  # fmt: skip
def test_bad_arguments_are_refused_at_once(sari, tokenizer, arguments, message):
    with pytest.raises((ValueError, TypeError), match=f"^{re.escape(message)}"):
        sari.compute_metrics(tokenizer, **arguments)


def test_a_tokenizer_is_wanted(sari):
    with pytest.raises(TypeError, match=r"^tokenizer: got str, wanted a tokenizer of transformers$"):
        sari.compute_metrics("t5-small")


def test_scores_of_words_are_refused(hook, tokenizer):
    arrays = evaluated(tokenizer)
    arrays.predictions = np.zeros((SEGMENTS, 3))
    with pytest.raises(ValueError, match=r"^predictions: got float64 of shape \(10, 3\), wanted token ids"):
        hook(arrays)


def test_the_example(tmp_path):
    """The example runs as it is, with less to learn."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "train.py"), "--epochs", "1", "--sentences", "640"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    before, after = map(float, re.search(r"SARI before training (\S+), after (\S+)\n$", done.stdout).groups())
    assert after > before


if __name__ == "__main__":
    evaluate_in_this_process(*sys.argv[1:])
