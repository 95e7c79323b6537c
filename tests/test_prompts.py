"""What a model is asked, and how it generates: what is refused when the callback is made."""

import pytest
from tiny_trainers import REFERENCES, SOURCES, make_tokenizer
from transformers import GenerationConfig

from sari.prompts import generation_arguments, generation_prompts

SEVERAL = {"num_beams": 2, "num_return_sequences": 2}


def answered(source):
    """Return messages as TRL's column of that name has them, with the answer."""
    return [{"role": "user", "content": source}, {"role": "assistant", "content": "Simple."}]


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer()


BAD = [
    ({"prompts": answered}, r"^prompts\[0\]: got messages that end with one of the assistant, wanted those before its"),
    ({"prompts": [*SOURCES[:9], answered("a b")]}, r"^prompts\[9\]: got messages that end with one of the assistant"),
    ({"generation": "greedy"}, r"^generation: got str, wanted a dict of arguments of generate, or a Generat"),
    ({"generation": SEVERAL}, r"^generation: got num_return_sequences=2, wanted one text for each prompt$"),
    ({"generation": GenerationConfig(**SEVERAL)}, r"^generation: got num_return_sequences=2, wanted one text"),
    ({"prompts": "Simple: {}"}, r"^prompts: got str, wanted a list of prompts or a function from a source to its"),
    ({"prompts": dict.fromkeys(SOURCES)}, r"^prompts: got dict, wanted a list of prompts or a function"),
    ({"prompts": 5}, r"^prompts: got int, wanted a list of prompts or a function"),
    ({"prompts": set(SOURCES)}, r"^prompts: got set, wanted a list of prompts or a function"),
    ({"prompts": ["a"]}, r"^prompts: got 1 rows, wanted 10, as many as sources"),
    ({"prompts": lambda _source: 5}, r"^prompts\[0\]: got int, wanted a str or a list of messages"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_prompts_and_arguments(sari, tokenizer, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sari.generation_callback(tokenizer, sources=SOURCES, references=REFERENCES, **options)


def chat(source):
    return [{"role": "system", "content": "Simplify."}, {"role": "user", "content": [{"type": "text", "text": source}]}]


@pytest.mark.parametrize("asked", ["Simplify:  {}".format, chat], ids=["plain", "chat"])
@pytest.mark.parametrize("order", [[1, 0, *range(2, 10)], [*range(1, 10), 0]], ids=["two", "all"])
def test_prompts_in_another_order_are_refused(asked, order):
    wanted = rf"^prompts\[0\]: got one that holds sources\[1\], '{SOURCES[1][:9]}.*', wanted one for sources\[0\], '"
    with pytest.raises(ValueError, match=wanted):
        generation_prompts([asked(SOURCES[row]) for row in order], [source.replace(" ", "  ") for source in SOURCES])


@pytest.mark.parametrize(
    "asked",
    [
        lambda row: SOURCES[row].lower(),
        lambda row: SOURCES[row][: 20 + row],
        lambda row: f"{SOURCES[1]} {SOURCES[2]}: {SOURCES[row][:20]}",
        lambda row: f"{SOURCES[row - 1]}: {SOURCES[row].upper() if row == 3 else SOURCES[row]}",
    ],
    ids=["lowercased", "truncated", "examples", "one changed"],
)
def test_prompts_that_change_sources_or_hold_others_are_taken(asked):
    prompts = list(map(asked, range(10)))
    assert generation_prompts(prompts, SOURCES) == prompts


@pytest.mark.parametrize("given", [{"num_beams": 2}, {"do_sample": False}, {"max_new_tokens": None}], ids=str)
def test_texts_have_at_most_128_new_tokens_where_no_length_is_given(given):
    assert generation_arguments(given) == {**given, "max_new_tokens": 128}
    config = GenerationConfig(**given)
    (copied,) = generation_arguments(config).values()
    assert (copied.max_new_tokens, copied.num_beams, config.max_new_tokens) == (128, config.num_beams, None)


@pytest.mark.parametrize("given", [{"max_new_tokens": 5}, {"max_length": 50, "num_beams": 2}], ids=str)
def test_lengths_that_are_given_are_kept(given):
    assert generation_arguments(given) == given
    for arguments in (GenerationConfig(**given), {"generation_config": GenerationConfig(), **given}):
        (copied,) = generation_arguments(arguments).values()
        assert (copied.max_new_tokens, copied.max_length) == (given.get("max_new_tokens"), given.get("max_length"))


def test_what_is_no_part_of_a_configuration_stays_beside_it():
    arguments = generation_arguments({"generation_config": GenerationConfig(), "num_beams": 2, "streamer": "s"})
    assert arguments.pop("generation_config").num_beams == 2
    assert arguments == {"streamer": "s"}
