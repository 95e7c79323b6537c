"""What a model is asked, and how it generates: checked prompts, and checked arguments of `generate`.

Nothing is imported from transformers.
"""

import copy
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

from .inputs import is_column, quoted

#: A prompt: plain text, or the messages of a chat.
Prompt = str | list[dict[str, Any]]

#: How the callback generates where nothing else is said.
GENERATION: Mapping[str, Any] = {"max_new_tokens": 128, "do_sample": False}

#: What is wanted where there are several texts.
ONE_TEXT = "one text for each prompt"

# The arguments that say how long a text may become.
_LENGTHS = ("max_new_tokens", "max_length")
# Of so many prompts that lack their sources it is tried whether they hold others.
_MOST_COMPARED = 100


def generation_prompts(prompts: Any, sources: list[str]) -> list[Prompt]:
    """Return a prompt for each source.

    Args:
        prompts: a list of them, plain or chat, or a function from a source to its prompt; None for the sources.
        sources: that have been checked.

    Raises:
        ValueError, TypeError: for bad input, for messages that hold the answer, and for prompts in another order, in
            one line.

    >>> generation_prompts("Simplify: {}".format, ["a b"])
    ['Simplify: a b']
    """
    if prompts is None:
        return list(sources)
    if not (callable(prompts) or is_column(prompts)):
        raise TypeError(
            f"prompts: got {type(prompts).__name__}, wanted a list of prompts or a function from a source to its prompt"
        )
    made = list(map(prompts, sources)) if callable(prompts) else list(prompts)
    if len(made) != len(sources):
        raise ValueError(f"prompts: got {len(made)} rows, wanted {len(sources)}, as many as sources")
    for row, prompt in enumerate(made):
        if not isinstance(prompt, str) and not is_chat(prompt):
            raise TypeError(f"prompts[{row}]: got {type(prompt).__name__}, wanted a str or a list of messages")
        if not isinstance(prompt, str) and prompt[-1]["role"] == "assistant":
            raise ValueError(
                f"prompts[{row}]: got messages that end with one of the assistant, wanted those before its answer"
            )
    if not callable(prompts):
        _check_order(made, sources)
    return made


def generation_arguments(generation: Any) -> dict[str, Any]:
    """Return arguments of a model's `generate`.

    Args:
        generation: a dict of them, or a `GenerationConfig`, with at most 128 new tokens where they say nothing of
            lengths; None for greedy.

    Returns:
        A dict of them, or a copy of the `GenerationConfig` in one, with what is no part of it.

    Raises:
        ValueError, TypeError: for bad input, and for several texts for each prompt, in one line.

    >>> generation_arguments(None)
    {'max_new_tokens': 128, 'do_sample': False}
    >>> generation_arguments({"num_beams": 2})
    {'num_beams': 2, 'max_new_tokens': 128}
    """
    name = "num_return_sequences"
    chosen = GENERATION if generation is None else generation
    arguments = dict(chosen) if isinstance(chosen, Mapping) else {"generation_config": chosen}
    config = arguments.pop("generation_config", None)
    if config is not None and not hasattr(config, name):
        raise TypeError(
            f"generation: got {type(config).__name__}, wanted a dict of arguments of generate, or a GenerationConfig"
        )
    texts = arguments.get(name, getattr(config, name, None))
    if not (texts is None or (isinstance(texts, int) and texts == 1)):
        raise ValueError(f"generation: got {name}={texts!r}, wanted {ONE_TEXT}")
    if all(arguments.get(length, getattr(config, length, None)) is None for length in _LENGTHS):
        arguments["max_new_tokens"] = GENERATION["max_new_tokens"]
    if config is None:
        return arguments
    config = copy.deepcopy(config)
    return {**config.update(**arguments), "generation_config": config}  # beside which transformers wants no arguments


def is_chat(messages: Any) -> bool:
    """Tell whether something is the messages of a chat."""
    listed = isinstance(messages, Sequence) and not isinstance(messages, str) and len(messages) > 0
    return listed and all(isinstance(message, Mapping) and "role" in message for message in messages)


def _check_order(prompts: list[Prompt], sources: list[str]) -> None:
    """Refuse prompts in another order than their sources, where that is plain.

    Templates may change sources, and show others as examples. So a source that its own prompt lacks must stand in the
    prompt of another row that lacks its own, and its prompt must hold the source of such a row.
    """
    texts = [_spaced(_text_of(f"prompts[{row}]", prompt)) for row, prompt in enumerate(prompts)]
    wanted = list(map(_spaced, sources))
    lacking = [row for row, source in enumerate(wanted) if source not in texts[row]]
    for row in lacking[:_MOST_COMPARED]:
        held = next((other for other in lacking if wanted[other] in texts[row]), None)
        if held is not None and any(wanted[row] in texts[other] for other in lacking):
            raise ValueError(
                f"prompts[{row}]: got one that holds sources[{held}], {quoted(wanted[held])}, wanted one for "
                f"sources[{row}], {quoted(wanted[row])}: the order of sources"
            )


def _text_of(name: str, prompt: Prompt) -> str:
    if isinstance(prompt, str):
        return prompt
    return " ".join(content_of(name, message.get("content")) for message in prompt)


def _spaced(text: str) -> str:
    return " ".join(text.split())


def content_of(name: str, content: Any) -> str:
    """Return the text of what a message holds: a text, or parts, of which some are texts; None, of a call of tools."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, Sequence) else [None]
    texts: list[Any] = [part.get("text", "") if isinstance(part, Mapping) else None for part in parts]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(
            f"{name}: got content {reprlib.repr(content)}, wanted a str or a list of parts whose text is a str"
        )
    return "".join(texts)
