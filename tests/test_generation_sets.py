"""Which of its sets the callback scores: told by the names under which the Trainer evaluates."""

import pytest
from test_generation import TARGETS, make_llama, make_trainer
from tiny_trainers import SOURCES, make_tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


@pytest.fixture(scope="module")
def llama(tokenizer):
    return make_llama(tokenizer)


def make_callback_of(sari, tokenizer, *names):
    """Return a callback for two rows, or for sets of them by name."""
    columns = {"sources": SOURCES[:2], "references": TARGETS[:2]}
    by_name = {column: dict.fromkeys(names, texts) for column, texts in columns.items()}
    return sari.generation_callback(tokenizer, **(by_name if names else columns), generation={"max_new_tokens": 1})


def test_one_set_for_several_is_refused(sari, tokenizer, llama, tmp_path):
    callback = make_callback_of(sari, tokenizer)
    trainer = make_trainer(tmp_path, tokenizer, llama, callbacks=[callback])
    trainer.eval_dataset = {"news": trainer.eval_dataset}
    for callback.trainer in (None, trainer):
        with pytest.raises(ValueError, match=r"^sources: got one evaluation set, wanted a dict by name, .* eval_news;"):
            trainer.evaluate()


def test_several_sets_for_one_are_refused(sari, tokenizer, llama, tmp_path):
    callback = make_callback_of(sari, tokenizer, "news", "web")
    trainer = make_trainer(tmp_path, tokenizer, llama, callbacks=[callback])
    for callback.trainer in (None, trainer):
        with pytest.raises(ValueError, match=r"^sources: got sets by name, news, web, wanted one set, since the Tr"):
            trainer.evaluate()


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("names", [(), ("news",)], ids=["one", "by name"])
def test_other_sets_beside_those_of_the_trainer_are_left_alone(sari, tokenizer, llama, tmp_path, names, linked):
    callback = make_callback_of(sari, tokenizer, *names)
    trainer = make_trainer(tmp_path, tokenizer, llama, callbacks=[callback])
    others = trainer.eval_dataset.select([0])
    trainer.eval_dataset = dict.fromkeys(names, others) if names else others
    if linked:
        callback.trainer = trainer
    else:
        trainer.evaluate()
    for prefix in ("test", "eval_test", *(["eval"] if names else [])):
        assert f"{prefix}_sari" not in trainer.evaluate(others, metric_key_prefix=prefix)
    assert any(name.endswith("_sari") for name in trainer.evaluate())


@pytest.mark.parametrize("name", ["decoding_runtime", "eval_a_runtime", "runtime", "b_samples_per_second"])
def test_metrics_of_the_users_own_name_no_set(sari, tokenizer, llama, tmp_path, name):
    own = {name: 1.0, "decoding_samples_per_second": 1.0}
    callback = make_callback_of(sari, tokenizer)
    trainer = make_trainer(
        tmp_path, tokenizer, llama, callbacks=[callback], compute_metrics=lambda _evaluated: dict(own)
    )
    trainer.eval_dataset = trainer.eval_dataset.select([0])
    assert trainer.evaluate().keys() >= {"eval_sari", "eval_add"}
