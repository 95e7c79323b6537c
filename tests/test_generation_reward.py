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


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "sari_easse"),
        ({"unit": True, "threads": 2, "level": "corpus", "source": "source"}, "sari_easse"),
        ({"variant": "xu2016"}, "sari_xu2016"),
        ({"lowercase": False, "max_order": 2}, "sari_easse_lowercase-False_max_order-2"),
        ({"source": "complex", "references": "simple"}, "sari_easse_source-complex_references-simple"),
        ({"tokenize": str.upper}, "sari_easse_tokenize-upper"),
    ],
    ids=str,
)
def test_names_tell_rewards_apart(sari, options, name):
    assert sari.reward(**options).__name__ == name


def test_rows_without_references_get_no_reward(sari):
    reward, texts = sari.reward(references="simple"), [row[0] for row in REFERENCES]
    every = reward(completions=texts, source=SOURCES, simple=REFERENCES)
    some = {"source": [None, *SOURCES[1:9], SOURCES[9]], "simple": [None, *REFERENCES[1:9], None]}
    assert reward(completions=texts, **some) == [None, *every[1:9], None]
    assert reward(completions=texts[:2], source=SOURCES[:2], simple=[None, None]) == [None, None]
    singles = {"source": [None, *SOURCES[1:3]], "simple": [None, *texts[1:3]]}
    assert reward(completions=texts[:3], **singles)[1:] == reward(
        completions=texts[1:3], source=SOURCES[1:3], simple=texts[1:3]
    )
    with pytest.raises(TypeError, match=r"^references\[2\]: got int"):
        reward(completions=texts[:3], source=SOURCES[:3], simple=[None, "a", 5])
    with pytest.raises(TypeError, match=r"^sources\[1\]: got NoneType"):
        reward(completions=texts[:2], source=[None, None], simple=[None, "a"])
