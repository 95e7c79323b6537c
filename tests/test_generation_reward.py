"""The reward: what each completion is paid, and what it refuses."""

import pytest
from tiny_trainers import REFERENCES, SOURCES


@pytest.mark.parametrize("unit", [False, True])
def test_the_reward_is_the_score_of_each_completion_alone(sari, unit):
    reward = sari.reward(unit=unit, source="complex", references="simple")
    rows = [0, 0, 3, 0, 5, 3]
    texts = [REFERENCES[row][place % 2] for place, row in enumerate(rows)]
    columns = {"complex": [SOURCES[row] for row in rows], "simple": [REFERENCES[row] for row in rows]}
    expected = [
        sari.compute(sources=[SOURCES[row]], predictions=[text], references=[REFERENCES[row]], variant="easse")["sari"]
        / (100 if unit else 1)
        for row, text in zip(rows, texts, strict=True)
    ]
    assert reward.__name__ == "sari_easse"
    assert reward(prompts=["?"] * 6, completions=texts, trainer_state=None, **columns) == expected
    chats = [[{"role": "assistant", "content": text}] for text in texts]
    assert reward(completions=chats, **columns) == expected
    parts = [[{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in texts]
    assert reward(completions=parts, **columns) == expected


def test_a_variant_that_pays_copies_warns(sari):
    with sari.collect_warnings() as collected:
        assert sari.reward(variant="hf").__name__ == "sari_hf"
    assert [type(warning).__name__ for warning in collected] == ["RewardsCopyingWarning"]
    with sari.collect_warnings() as collected:
        sari.reward()
    assert collected == []


def test_columns_that_lack_are_named(sari):
    with pytest.raises(ValueError, match=r"^source: got columns text, references, wanted also 'source'$"):
        sari.reward()(completions=["a"], text=["a"], references=[["a"]])
    with pytest.raises(TypeError, match=r"^completions\[0\]: got int, wanted a str or a list of messages$"):
        sari.reward()(completions=[5], source=["a"], references=[["a"]])


@pytest.mark.parametrize("content", [5, ["a"], [{"type": "text", "text": None}], [{"text": "a"}, {"text": 5}]], ids=str)
def test_messages_without_text_are_refused(sari, content):
    with pytest.raises(
        TypeError, match=r"^completions\[1\]: got content .*, wanted a str or a list of parts whose text"
    ):
        sari.reward()(
            completions=["a", [{"role": "assistant", "content": content}]], source=["a"] * 2, references=["a"] * 2
        )
