"""What a Trainer may get wrong without a word: it is scored right, or refused or warned of in one line."""

import re

import pytest
import torch
from datasets import Dataset
from tiny_trainers import (
    NAMED,
    REFERENCES,
    SEGMENTS,
    SOURCES,
    TEXTS,
    expected_scores,
    make_causal_dataset,
    make_dataset,
    make_llama,
    make_model,
    make_tokenizer,
    make_trainer,
    of_evaluation,
    predictions_of,
)
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import DataCollatorForSeq2Seq, PreTrainedTokenizerFast, Trainer, TrainingArguments

ORDER = [3, 1, 8, 0, 9, 2, 7, 4, 6, 5]
TARGETS = [row[0] for row in REFERENCES]


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture(scope="module")
def dataset(tokenizer):
    return make_dataset(tokenizer)


@pytest.fixture(scope="module")
def model(tokenizer):
    return make_model(tokenizer)


@pytest.fixture(scope="module")
def other_tokenizer(tokenizer):
    """Return a tokenizer with the same tokens, each with another id."""
    given = tokenizer.get_vocab()
    special = sorted(given.values())[:3]
    shifted = {token: id if id in special else 3 + (id + 11) % (len(given) - 3) for token, id in given.items()}
    return words_of(shifted, decoders.Metaspace())


def words_of(vocabulary, decoder=None):
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    if decoder is not None:
        made.decoder = decoder
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, **special)


def said(sari, *attempts):
    """Return what was warned of, about training, in each of several attempts."""
    found = []
    for attempt in attempts:
        with sari.collect_warnings() as collected:
            attempt()
        found.append([str(one) for one in collected if type(one).__name__ == "TrainingWarning"])
        assert all(len(message) <= 250 for message in found[-1])
    return found


def says(sari, make, trainer, message, *, beforehand=True):
    """Expect a warning, once, in the first evaluation and, with a fresh function, in the check."""
    trainer.compute_metrics = function = make()
    first, second = said(sari, trainer.evaluate, trainer.evaluate)
    assert [re.search(message, one) is not None for one in first].count(True) == 1, first
    assert not second
    if beforehand:
        trainer.compute_metrics = function = make()
        (checked,) = said(sari, lambda: function.check(trainer))
        assert [re.search(message, one) is not None for one in checked].count(True) == 1, checked


def refuses(sari, make, trainer, message, *, afterwards=True):
    """Expect an error of one line in the check and, with a fresh function, in the first evaluation."""
    for attempt in (lambda: trainer.compute_metrics.check(trainer), trainer.evaluate)[: 1 + afterwards]:
        trainer.compute_metrics = make()
        with pytest.raises(ValueError, match=message) as error, sari.collect_warnings():
            attempt()
        assert len(str(error.value)) <= 200


# ---- Texts and rows --------------------------------------------------------------------------------------------------


def test_lists_in_another_order(sari, tokenizer, model, tmp_path):
    trainer = make_trainer(tmp_path, tokenizer, model=model)
    shuffled = {name: [column[row] for row in ORDER] for name, column in TEXTS.items()}
    message = (
        r"^references: got the label of row 0 in row 3, and most others likewise, expected the order of the labels$"
    )
    refuses(sari, lambda: sari.compute_metrics(tokenizer, **shuffled), trainer, message)
    given = {"dataset": trainer.eval_dataset, **shuffled}
    refuses(sari, lambda: sari.compute_metrics(tokenizer, **given), trainer, message)
    two = {name: [*column[1::-1], *column[2:]] for name, column in TEXTS.items()}
    message = "^Some labels are references of other rows"
    says(sari, lambda: sari.compute_metrics(tokenizer, **two), trainer, message)
    given = {"dataset": trainer.eval_dataset, **TEXTS, "sources": shuffled["sources"]}
    says(sari, lambda: sari.compute_metrics(tokenizer, **given), trainer, "^Most inputs do not hold their sources")


def test_lists_where_the_trainer_changes_the_order(sari, tokenizer, dataset, model, tmp_path):
    grouped = make_trainer(tmp_path, tokenizer, model=model, train_sampling_strategy="group_by_length")
    message = r"^references: got the label of row"
    refuses(sari, lambda: sari.compute_metrics(tokenizer, **TEXTS), grouped, f"^dataset: got none|{message}")
    function = sari.compute_metrics(tokenizer, dataset=dataset, **NAMED)
    grouped.compute_metrics = function
    found = of_evaluation(grouped.evaluate())
    texts = predictions_of(make_trainer(tmp_path, tokenizer, model=model), tokenizer)
    assert found == expected_scores(sari, texts)
    # A stream in two shards, each with a worker of its own.
    streamed = dataset.remove_columns(list(NAMED.values())).to_iterable_dataset(num_shards=2)
    trainer = make_trainer(tmp_path, tokenizer, model=model, dataloader_num_workers=2)
    trainer.eval_dataset = streamed
    given = {"trainer": trainer, "message": "^dataset: got none", "afterwards": False}
    refuses(sari, lambda: sari.compute_metrics(tokenizer, **TEXTS), **given)
    trainer.compute_metrics = sari.compute_metrics(tokenizer, **TEXTS)
    assert "Some labels are references of other rows: is the order right?" in said(sari, trainer.evaluate)[0]
    trainer.compute_metrics = sari.compute_metrics(tokenizer, dataset=dataset, **NAMED)
    trainer.compute_metrics.check(trainer)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)


def test_an_evaluation_that_was_interrupted(sari, tokenizer, dataset, model, tmp_path):
    """Its rows do not count in the next one, also where none of them comes again."""
    function = sari.compute_metrics(tokenizer, dataset=dataset, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function, model=model, batch_eval_metrics=True)
    parts = dataset.select(range(6)), dataset.select(range(6, SEGMENTS))
    step, left = type(trainer).prediction_step, [1]

    def prediction_step(*arguments, **options):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return step(trainer, *arguments, **options)

    trainer.prediction_step = prediction_step
    with pytest.raises(KeyboardInterrupt):
        trainer.evaluate(parts[0])
    del trainer.prediction_step
    texts = predictions_of(trainer, tokenizer, parts[1])
    with sari.collect_warnings():
        found = of_evaluation(trainer.evaluate(parts[1]))
    assert found == expected_scores(sari, texts, SOURCES[6:], REFERENCES[6:])


def test_the_tokenizer_of_another_model(sari, tokenizer, other_tokenizer, model, tmp_path):
    trainer = make_trainer(tmp_path, tokenizer, model=model)
    columns = {"dataset": trainer.eval_dataset, **NAMED}
    for given in (columns, TEXTS):
        message = "^Labels are as similar to references of other rows|^Most inputs do not hold"
        trainer.compute_metrics = sari.compute_metrics(other_tokenizer, **given)
        (found,) = said(sari, trainer.evaluate)
        assert re.search(message, " ".join(found)), found
        (found,) = said(sari, lambda: trainer.compute_metrics.check(trainer))
        assert "The tokenizer and the Trainer's processing_class have different vocabularies." in found
    rows = make_causal_dataset(tokenizer)
    callback = sari.generation_callback(other_tokenizer, **TEXTS, generation_kwargs={"max_new_tokens": 2})
    trainer = make_trainer(
        tmp_path, tokenizer, model=make_llama(tokenizer), eval_dataset=rows, generate=False, callbacks=[callback]
    )
    (found,) = said(sari, trainer.evaluate)
    assert "The tokenizer and the Trainer's processing_class have different vocabularies." in found


def test_sources_with_a_prefix(sari, tokenizer, model, tmp_path):
    trainer = make_trainer(tmp_path, tokenizer, model=model, include_for_metrics=["inputs"])
    prefixed = {**TEXTS, "sources": [f"simplify: {source}" for source in SOURCES]}
    for given in (prefixed, {"references": REFERENCES}):
        message = "^All sources begin with 'simplify:?', which is scored too"
        says(sari, lambda given=given: sari.compute_metrics(tokenizer, **given), trainer, message)


def test_columns_that_are_swapped(sari, tokenizer, dataset, model, tmp_path):
    swapped = {"sources": "first", "references": "source"}
    rows = dataset.map(lambda row: {"first": row["references"][0]})
    trainer = make_trainer(tmp_path, tokenizer, model=model, eval_dataset=rows)
    message = "^Most inputs do not hold their sources"
    says(sari, lambda: sari.compute_metrics(tokenizer, dataset=rows, **swapped), trainer, message)
    function = sari.compute_metrics(tokenizer, sources=TARGETS, references=SOURCES)
    says(sari, lambda: function, trainer, "^Most labels are sources, not references", beforehand=False)


def test_a_tokenizer_that_changes_texts(sari, tmp_path):
    """Each character is a token, and decoded texts have spaces between them."""
    sources = [f"彼{number}は昨年の夏に北京へ出発しました。" for number in "一二三四五六七八九十"]
    references = [[f"彼{number}は去年の夏に北京へ行った。"] for number in "一二三四五六七八九十"]
    characters = sorted(set("".join([*sources, *(row[0] for row in references)])))
    tokenizer = words_of({token: id for id, token in enumerate(["<pad>", "</s>", "<unk>", *characters])})
    rows = make_dataset(tokenizer, sources, references)
    function = sari.with_options(tokenize="char").compute_metrics(tokenizer, dataset=rows, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, eval_dataset=rows)
    says(sari, lambda: function, trainer, "^The tokenizer turns '彼一は.* into '彼 一 は", beforehand=False)
    joined = sari.compute_metrics(tokenizer, dataset=rows, **NAMED, postprocess=lambda text: text.replace(" ", ""))
    trainer.compute_metrics = joined
    (found,) = said(sari, trainer.evaluate)
    assert not [message for message in found if "The tokenizer turns" in message]


class Rows(torch.utils.data.Dataset):
    """Rows of another set, made as they are read."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, row):
        return {name: self.rows[row][name] for name in ("input_ids", "attention_mask", "labels")}


def test_a_dataset_of_torch_with_other_rows(sari, tokenizer, dataset, model, tmp_path):
    trainer = make_trainer(tmp_path, tokenizer, model=model, eval_dataset=Rows(dataset))
    message = r"^label_ids\[5\]: got '\w.*', expected those of a row of dataset"
    given = {"dataset": dataset.select(range(5)), **NAMED}
    refuses(sari, lambda: sari.compute_metrics(tokenizer, **given), trainer, message)
    trainer.compute_metrics = sari.compute_metrics(tokenizer, dataset=Rows(dataset), **TEXTS)
    trainer.compute_metrics.check(trainer)
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, predictions_of(trainer, tokenizer))


# ---- What is predicted -----------------------------------------------------------------------------------------------


def test_teacher_forcing_is_named(sari, tokenizer, model, tmp_path):
    trainer = make_trainer(tmp_path, tokenizer, model=model, predict_with_generate=False)
    function = sari.compute_metrics(tokenizer, **TEXTS)
    trainer.preprocess_logits_for_metrics = function.preprocess_logits_for_metrics
    says(sari, lambda: sari.compute_metrics(tokenizer, **TEXTS), trainer, "^The scores are of teacher forcing")


def test_padding_that_is_predicted(sari, tokenizer, model, tmp_path):
    argmax = {"preprocess_logits_for_metrics": lambda logits, _: logits[0].argmax(-1)}
    trainer = make_trainer(tmp_path, tokenizer, model=model, generate=False, **argmax)
    message = "^Predictions have tokens where labels are -100|^Another preprocess_logits_for_metrics"
    says(sari, lambda: sari.compute_metrics(tokenizer, **TEXTS), trainer, message)


def test_texts_that_are_cut(sari, tokenizer, model, tmp_path):
    trainer = make_trainer(tmp_path, tokenizer, model=model, generation_max_length=None)
    message = "^Predictions end after 20 tokens, the default of generate: set generation_max_length"
    says(sari, lambda: sari.compute_metrics(tokenizer, **TEXTS), trainer, message)


class Generating(Trainer):
    """A Trainer of a decoder-only model that generates from prompts; labels are answers only."""

    keeps_prompts = False

    def prediction_step(self, model, inputs, *_, **__):
        inputs = self._prepare_inputs(inputs)
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        made = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=12, do_sample=False, pad_token_id=0)
        return None, made if self.keeps_prompts else made[:, ids.shape[1] :], inputs["labels"]


def test_a_decoder_only_model_that_generates(sari, tmp_path):
    tokenizer = make_tokenizer()
    tokenizer.padding_side = "left"
    prompts = tokenizer([f"Simplify: {source} Simple:" for source in SOURCES], add_special_tokens=False)
    rows = Dataset.from_dict(
        {**prompts, "labels": tokenizer(TARGETS)["input_ids"], "source": SOURCES, "references": REFERENCES}
    )
    trainer = Generating(
        make_llama(tokenizer).eval(),
        TrainingArguments(str(tmp_path), per_device_eval_batch_size=3, use_cpu=True, disable_tqdm=True),
        DataCollatorForSeq2Seq(tokenizer),
        eval_dataset=rows,
        processing_class=tokenizer,
    )
    trainer.compute_metrics = function = sari.compute_metrics(tokenizer, dataset=rows, **NAMED)
    texts = predictions_of(trainer, tokenizer)
    assert said(sari, lambda: function.check(trainer)) == [[]]
    assert of_evaluation(trainer.evaluate()) == expected_scores(sari, texts)
    trainer.keeps_prompts = True
    given = {"dataset": rows, **NAMED}
    message = "^Most predictions are a source and more: remove prompts"
    says(sari, lambda: sari.compute_metrics(tokenizer, **given), trainer, message, beforehand=False)


# ---- Choosing the best model -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["sarri", "SARI", "sari_score", "eval_sarri", "deletes"])
def test_names_that_are_nearly_right(sari, tokenizer, model, tmp_path, metric):
    trainer = make_trainer(tmp_path, tokenizer, model=model, metric_for_best_model=metric)
    message = f"^metric_for_best_model: got {metric}, expected sari, keep, delete, add$"
    refuses(sari, lambda: sari.compute_metrics(tokenizer, **TEXTS), trainer, message, afterwards=False)


def test_names_of_other_metrics(sari, tokenizer, dataset, model, tmp_path):
    sets = {"validation": dataset, "sari_dev": dataset.select(range(3))}
    function = sari.compute_metrics(tokenizer, dataset=sets, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function, model=model, eval_dataset=sets)
    for metric in ("eval_validation_loss", "sari_dev_loss", "sari_dev_sari", "eval_validation_add"):
        trainer.args.metric_for_best_model = metric
        function.check(trainer)
    trainer.args.metric_for_best_model = "eval_sari"
    with pytest.raises(
        ValueError, match=r"^metric_for_best_model: got eval_sari, expected validation_sari, sari_dev_sari$"
    ):
        function.check(trainer)


def test_the_lowest_score(sari, tokenizer, model, tmp_path):
    lowest = {"metric_for_best_model": "eval_sari", "greater_is_better": False}
    trainer = make_trainer(tmp_path, tokenizer, model=model, **lowest)
    message = r"^greater_is_better: got False, expected True"
    refuses(sari, lambda: sari.compute_metrics(tokenizer, **TEXTS), trainer, message, afterwards=False)
    callback = sari.generation_callback(tokenizer, **TEXTS)
    rows = {"eval_dataset": make_causal_dataset(tokenizer), "generate": False, "eval_strategy": "epoch"}
    trainer = make_trainer(tmp_path, tokenizer, model=make_llama(tokenizer), callbacks=[callback], **rows, **lowest)
    with pytest.raises(ValueError, match=message):
        trainer.train()


def test_good_data_give_no_warning(sari, tokenizer, dataset, model, tmp_path):
    """Neither the check nor evaluations say anything about a run as the documentation describes it."""
    function = sari.compute_metrics(tokenizer, dataset=dataset, **NAMED)
    trainer = make_trainer(tmp_path, tokenizer, function, model=model, metric_for_best_model="sari")
    assert said(sari, lambda: function.check(trainer), trainer.evaluate) == [[], []]
    trainer.compute_metrics = sari.compute_metrics(tokenizer, **TEXTS)
    assert said(sari, trainer.evaluate) == [[]]
