"""Trainers as small as they can be: a tokenizer, models trained in seconds, and the example corpus for both."""

import copy
import functools
from pathlib import Path

import torch
import transformers
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PROMPT = "Simplify: {} Simple:"
CHAT = (
    "{% if thinking %}[think]{% endif %}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }} "
    "{% endfor %}{% if add_generation_prompt %}[a]{% endif %}"
)
#: Arguments of every Trainer.
COMMON = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "disable_tqdm": True}
#: Those of TRL's Trainers, and of GRPOTrainer.
TRL = {**COMMON, "bf16": False, "gradient_checkpointing": False, "learning_rate": 0.05}
GROUPS = {"per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 8, "logging_steps": 1}


def lines(name):
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


SOURCES, OUTPUTS = lines("sources.txt"), lines("outputs.txt")
REFERENCES = [list(pair) for pair in zip(lines("references.0.txt"), lines("references.1.txt"), strict=True)]
LABELS = [row[0] for row in REFERENCES]
#: What Whisper hears of each row.
SOUNDS = torch.randn(10, 8, 60, generator=torch.Generator().manual_seed(1))
#: A token that the tokenizer lacks, unless it is added.
START = 400


def ask(source):
    return [{"role": "user", "content": source}]


def make_tokenizer(begins=False, texts=None, size=400):
    """Return a tokenizer of the example corpus or of other texts; with `begins` each text begins with a token."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False)
    corpus = [*SOURCES, *OUTPUTS, *(text for row in REFERENCES for text in row)]
    tokenizer.train_from_iterator(texts or corpus, trainer)
    ends = {"single": "<unk> $A </s>" if begins else "$A </s>", "special_tokens": [("</s>", 1), ("<unk>", 2)]}
    tokenizer.post_processor = processors.TemplateProcessing(**ends)
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "chat_template": CHAT}
    options = {"bos_token": "<unk>" if begins else None, "model_input_names": ["input_ids", "attention_mask"]}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special, **options)


def make_t5(start=0):
    """Return a model that learned most of the corpus; it has more outputs than the tokenizer has tokens."""
    return copy.deepcopy(_trained(_t5 if start == 0 else _t5_with_another_start, make_dataset))


def make_rwkv():
    """Return a language model that learned most of the corpus, and reads the padding of prompts."""
    return copy.deepcopy(_trained(_rwkv, make_causal_dataset, 0.2))


def make_whisper():
    """Return a model that learned which labels follow `SOUNDS`."""
    return copy.deepcopy(_trained(_whisper, make_dataset))


def make_t5_of_two_tokenizers():
    """Return a model whose inputs are ids of another tokenizer than its outputs."""
    return copy.deepcopy(_trained(_t5, make_dataset_of_two_tokenizers))


def make_llama(**config):
    """Return a language model that learned most of the corpus, or one that learned nothing, with another config."""
    return _llama(**config) if config else copy.deepcopy(_trained(_llama, make_causal_dataset))


@functools.cache
def _trained(make_model, make_rows, enough=0.06):
    """Train a model until its loss is small: some forty steps."""
    model, tokenizer = make_model(), make_tokenizer()
    rows = make_rows(tokenizer).select_columns(["input_ids", "labels"])
    batch, loss = transformers.DataCollatorForSeq2Seq(tokenizer)(list(rows)), 9.0
    if model.main_input_name == "input_features":
        batch = {"input_features": SOUNDS, "labels": batch["labels"]}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    while loss > enough:
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def _t5():
    transformers.set_seed(3)
    sizes = {"vocab_size": 407, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 1, "num_heads": 4}
    others = {"decoder_start_token_id": 0, "dropout_rate": 0.0, "tie_word_embeddings": False}
    return transformers.T5ForConditionalGeneration(transformers.T5Config(**sizes, **others))


def _t5_with_another_start():
    model = _t5()
    model.config.decoder_start_token_id = model.generation_config.decoder_start_token_id = START
    return model


def _rwkv():
    transformers.set_seed(3)
    ids = {"vocab_size": 400, "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    return transformers.RwkvForCausalLM(transformers.RwkvConfig(hidden_size=64, num_hidden_layers=2, **ids))


def _whisper():
    transformers.set_seed(3)
    counts = {"layers": 1, "attention_heads": 2, "ffn_dim": 64}
    sizes = {f"{part}_{name}": count for part in ("encoder", "decoder") for name, count in counts.items()}
    sizes |= {"d_model": 32, "num_mel_bins": 8, "max_source_positions": 30, "max_target_positions": 64}
    ids = {"vocab_size": 400, "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 1, "decoder_start_token_id": 2}
    suppressed = {"suppress_tokens": [], "begin_suppress_tokens": None}
    return transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(**sizes, **ids, **suppressed))


def _llama(**config):
    transformers.set_seed(5)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    ids = {"vocab_size": 400, "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, **ids, **config))


def make_dataset(tokenizer, labels=LABELS, references=REFERENCES):
    """Return a tokenized set for an encoder-decoder, with its texts."""
    ids = tokenizer([f"simplify: {source}" for source in SOURCES], text_target=labels)
    return Dataset.from_dict({**ids, "source": SOURCES, "references": references})


def make_dataset_of_two_tokenizers(tokenizer):
    """Return a tokenized set whose inputs are ids of another tokenizer than its labels."""
    return Dataset.from_dict({**make_dataset(tokenizer).to_dict(), **make_tokenizer(texts=SOURCES)(SOURCES)})


def make_causal_dataset(tokenizer):
    """Return prompts and answers in one, as language models are trained, with -100 for the prompts."""
    prompts = tokenizer(list(map(PROMPT.format, SOURCES)), add_special_tokens=False)["input_ids"]
    answers = tokenizer(LABELS)["input_ids"]
    rows = [
        {"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer}
        for prompt, answer in zip(prompts, answers, strict=True)
    ]
    return Dataset.from_list(rows)


def make_trainer(
    folder, tokenizer, model, dataset, compute_metrics=None, *, kind=transformers.Seq2SeqTrainer, **arguments
):
    """Return a Trainer with these training arguments."""
    common = {"output_dir": str(folder), "per_device_eval_batch_size": 3, **COMMON}
    return kind(
        model=model,
        args=transformers.Seq2SeqTrainingArguments(**{**common, **arguments}),
        eval_dataset=dataset,
        train_dataset=next(iter(dataset.values())) if isinstance(dataset, dict) else dataset,
        processing_class=tokenizer,
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer),
        compute_metrics=compute_metrics,
    )


def generated(model, tokenizer, prompts, /, **options):
    """Return what a model makes of prompts, texts or ids, one by one and without padding."""
    texts, encodes = [], model.config.is_encoder_decoder
    options = {"do_sample": False, "pad_token_id": 0, **options}
    for prompt in prompts:
        is_text = isinstance(prompt, str)
        ids = torch.tensor([tokenizer(prompt, add_special_tokens=encodes)["input_ids"] if is_text else prompt])
        made = model.eval().generate(input_ids=ids, **options)[0]
        texts.append(tokenizer.decode(made[1 if encodes else ids.shape[1] :], skip_special_tokens=True).strip())
    return texts


def expected_scores(sari, texts, rows=None, references=REFERENCES):
    """Return what the metric says of texts of some rows, or of all."""
    columns = {"sources": SOURCES, "predictions": texts, "references": references}
    return sari.compute(**{name: [column[row] for row in rows or range(10)] for name, column in columns.items()})


def of_evaluation(metrics, prefix="eval"):
    return {name: metrics[f"{prefix}_{name}"] for name in ("sari", "keep", "delete", "add")}


def training_warnings(collected):
    """Return what warnings about training say, without what to do, and their figures."""
    return [(str(one).partition(":")[0], one.detail) for one in collected if type(one).__name__ == "TrainingWarning"]
