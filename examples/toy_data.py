"""Sentences with simplifications, a tokenizer and models, all made on the spot, for the examples of training."""

import random

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

# What stands in a source, and the ways to say it simply.
THINGS = ["lighthouse", "bridge", "church", "museum", "harbour", "castle", "school", "station", "tower", "library"]
PLACES = ["Varnholt", "Cape Morrow", "Eskdale", "Port Linden", "Ambry", "Tarn Hill"]
ADJECTIVES = {"substantial": ["big"], "antiquated": ["old"], "diminutive": ["small", "little"], "renowned": ["famous"]}
BUILT = {"was erected": ["was built"], "was constructed": ["was built"], "was inaugurated": ["was opened", "opened"]}
ASIDES = [", according to local records,", ", as is widely known,", ", notwithstanding some objections,", ""]
ENDS = {
    "remained in operation until": ["was used until", "worked until"],
    "was demolished in": ["was torn down in", "was pulled down in"],
    "underwent renovation in": ["was repaired in", "was renewed in"],
}


def sentences(count: int, rng: random.Random) -> list[dict]:
    """Return sentences, each with two simplifications: columns "source" and "references"."""
    return [_sentence(rng) for _ in range(count)]


def _sentence(rng: random.Random) -> dict:
    thing, place = rng.choice(THINGS), rng.choice(PLACES)
    adjective, built, end = (rng.choice(list(words)) for words in (ADJECTIVES, BUILT, ENDS))
    first, last = sorted(rng.sample(range(1800, 2000), 2))
    source = f"The {adjective} {thing} of {place}{rng.choice(ASIDES)} {built} in {first} and {end} {last}."

    def simple(which: int) -> str:
        words = [choices[which % len(choices)] for choices in (ADJECTIVES[adjective], BUILT[built], ENDS[end])]
        return f"The {words[0]} {thing} of {place} {words[1]} in {first}. It {words[2]} {last}."

    return {"source": source, "references": [simple(0), simple(1)]}


def train_tokenizer(rows: list[dict]) -> PreTrainedTokenizerFast:
    """Return a tokenizer that knows the sentences."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<pad>", "</s>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([text for row in rows for text in (row["source"], *row["references"])], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>")


def tiny_t5(vocab_size: int) -> T5ForConditionalGeneration:
    """Return a randomly initialised encoder-decoder."""
    sizes = {"d_model": 128, "d_kv": 32, "d_ff": 256, "num_layers": 2, "num_heads": 4}
    ids = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    return T5ForConditionalGeneration(T5Config(vocab_size=vocab_size, dropout_rate=0.0, **sizes, **ids))


def tiny_llama(vocab_size: int) -> LlamaForCausalLM:
    """Return a randomly initialised language model."""
    sizes = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4}
    ids = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    return LlamaForCausalLM(LlamaConfig(vocab_size=vocab_size, max_position_embeddings=256, **sizes, **ids))
