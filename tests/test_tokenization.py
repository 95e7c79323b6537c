"""Tokens and sentences are those of the packages that define them, and ids are equal exactly where tokens are."""

import random
from dataclasses import replace
from importlib import import_module
from itertools import chain, product

import pytest
import sacremoses
from conftest import runs
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from sari.languages import TOKENIZERS
from sari.tokenization import count_sentences, encode_chunk, encode_corpus, split_into_tokens
from sari.validation import SystemColumns
from sari.variants import VARIANTS, Text

PLAIN = Text(lowercase=False)


def sacrebleus(module, name):
    return getattr(import_module(f"sacrebleu.tokenizers.tokenizer_{module}"), name)()


THEIRS_13A = sacrebleus("13a", "Tokenizer13a")
UNCACHED_13A = type(THEIRS_13A).__call__.__wrapped__


def assert_tokens(texts, how, expected):
    """Assert that these are the tokens of texts, and say which text has others."""
    for text, found, wanted in zip(texts, split_into_tokens(texts, how), expected, strict=True):
        assert found == wanted, repr(text[:200])


def assert_13a(texts, lowercase=False):
    """Compare with sacreBLEU's class, after lowercasing, as all published SARIs do: "&AMP;" is an entity then."""
    cased = [text.lower() for text in texts] if lowercase else texts
    expected = [UNCACHED_13A(THEIRS_13A, text).split() for text in cased]
    assert_tokens(texts, Text(tokenize="13a", lowercase=lowercase), expected)


def every_text(pieces, longest):
    for length in range(longest + 1):
        yield from map("".join, product(pieces, repeat=length))


@pytest.mark.parametrize(
    ("pieces", "longest"),
    [
        ("a1.,- &\né\x85", 4),
        ("a1.,- \n", 5),
        ("1.,é", 7),
        (["&", "amp;", "&am", "p;", "quot;", "lt;", "gt;", "-\n", "<skipped>", "<ski", "pped>", "a", "1"], 4),
        (["\x1c", "\x1d", "\x1f", "\xa0", "\u3000", "\u2028", "\u200b", ".", "1", "a"], 3),
    ],
)
def test_13a_on_every_short_text(pieces, longest):
    assert_13a(list(every_text(pieces, longest)))


def test_13a_on_every_character():
    """Between letters, between digits, and next to what the rules look at."""
    codes = [code for code in [*range(0x3100), *range(0x3100, 0x110000, 997)] if not 0xD800 <= code < 0xE000]
    for around in ("a{}b", "1{}.2", ".{},", "-{}-"):
        assert_13a([around.format(chr(code)) for code in codes])


@given(
    st.lists(st.text(st.one_of(st.sampled_from(".,19-& \nab&AMPamp;LTlt<SKIPED> İΣẞ"), st.characters(codec="utf-8"))))
)
@runs(80)
def test_13a_on_any_text(texts):
    assert_13a(texts)
    assert_13a(texts, lowercase=True)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["none", lambda text: text], ids=["none", "callable"])
def test_none_on_every_short_text(tokenize, lowercase):
    texts = list(every_text("aÉ \t\u3000\n", 4))
    cased = [text.lower() for text in texts] if lowercase else texts
    on_space = Text(tokenize=tokenize, lowercase=lowercase, splits_on_space=True)
    assert_tokens(texts, on_space, [text.split(" ") for text in cased])
    assert_tokens(texts, replace(on_space, splits_on_space=False), [text.split() for text in cased])


THEIRS = {
    "13a": lambda: THEIRS_13A,
    "none": lambda: lambda text: text,
    "intl": lambda: sacrebleus("intl", "TokenizerV14International"),
    "char": lambda: sacrebleus("char", "TokenizerChar"),
    "zh": lambda: sacrebleus("zh", "TokenizerZh"),
    "ja-mecab": lambda: sacrebleus("ja_mecab", "TokenizerJaMecab"),
    "ko-mecab": lambda: sacrebleus("ko_mecab", "TokenizerKoMecab"),
    "moses": lambda: lambda text: sacremoses.MosesTokenizer(lang="en").tokenize(text, return_str=True, escape=False),
}
DOWNLOADED = {"spm", "flores101", "flores200", "spBLEU-1K"}

TEXTS = [
    "",
    " ",
    "Hello, World! It's 3.5% of $1,000.00 -- isn't it?",
    "「橋を渡る」とEinstein氏は言った。",
    "나는 학교에 갔다. 그는 안 갔다!",
    "我喜欢SARI，1.5倍。",
    "Привет, мир… «да»",
    "\u3000ideographic\u3000space\u3000 and  double  space\r\n tab\there\n",
    "&amp; &lt;b&gt; &quot;x&quot; [x] | <skipped>",
    "e\u0301 🙂 👩\u200d👩\u200d👧 \u00ad \u200b",
    "http://example.org/?a=1&b=2 a_b state-of-the-art U.S.A. Mr. O'Neill",
]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", [name for name in TOKENIZERS if name not in DOWNLOADED])
def test_tokens_are_those_of_the_package(name, lowercase):
    theirs = THEIRS[name]()
    texts = [text.lower() for text in TEXTS] if lowercase else TEXTS
    tokens = [theirs(text).split() for text in texts]
    assert_tokens(TEXTS, Text(tokenize=name, lowercase=lowercase, splits_on_space=False), tokens)
    if name != "none":
        tokens = [" ".join(words).split(" ") for words in tokens]
        assert_tokens(TEXTS, Text(tokenize=name, lowercase=lowercase, splits_on_space=True), tokens)


def test_callables_return_text_or_lists_of_tokens():
    def tokenized(result):
        return split_into_tokens(["a"], replace(PLAIN, tokenize=lambda _: result))

    assert tokenized("a  b") == tokenized(["a", "b"]) == tokenized(("a", "b")) == [["a", "b"]]
    assert (tokenized(iter("ab")), tokenized([])) == ([["a", "b"]], [[]])
    for result, kind in ((None, "None"), (["a", 2], "2")):
        wanted = "expected a str with spaces between tokens or a list of str"
        with refuses(TypeError, f"tokenize: got {kind} from the tokenizer, {wanted}"):
            tokenized(result)
    with refuses(ValueError, "tokenize: got a lone surrogate from the tokenizer, expected valid Unicode"):
        tokenized("a\ud800")
    with refuses(ValueError, "tokenize: the tokenizer raised StopIteration"):
        split_into_tokens(["a"], replace(PLAIN, tokenize=lambda _: next(iter(()))))


#: Texts are split at whitespace, and not lowercased.
AS_WRITTEN = replace(VARIANTS["xu2016"], lowercase=False, splits_on_space=False)


def test_ids_are_equal_where_tokens_are():
    """Also around the lengths at which a token no longer fits a machine word, and with bytes that may be padding."""
    rng = random.Random(12)
    stems = ["a" * n for n in range(1, 40)] + ["橋" * n for n in range(1, 9)] + ["\0" * n for n in range(1, 20)]
    stems += ["ÿ" * n for n in range(1, 9)] + ["þÿ" * n for n in range(1, 6)] + ["abcdefgh" * n for n in range(1, 5)]
    tokens = stems + [stem + end for stem in stems for end in ("\0", "b", "ÿ", "é")]
    tokens += [start + stem for stem in stems for start in ("\0", "b", "é")]
    texts = [rng.choices(tokens, k=rng.randrange(30)) for _ in range(400)]
    for some in (texts, *(texts[place : place + 3] for place in range(0, 400, 10))):
        source, *references = map(" ".join, some)
        found = encode_chunk([source], [references], (), AS_WRITTEN)
        assert found.lengths.tolist() == list(map(len, some))
        pairs = set(zip(found.ids.tolist(), chain(*some), strict=True))
        assert [len(set(column)) for column in zip(*pairs, strict=True)] == [len(pairs)] * 2
        assert {number for number, _ in pairs} == set(range(len(pairs)))


@pytest.mark.parametrize("tokenize", ["13a", "none", "char"])
def test_no_texts(tokenize):
    assert split_into_tokens([], replace(PLAIN, tokenize=tokenize)) == []
    assert list(encode_corpus(SystemColumns([], {"": []}, []), replace(AS_WRITTEN, tokenize=tokenize))) == []


def test_a_long_corpus_is_never_encoded_as_a_whole():
    seen, texts = [], ["word " * 100] * 1_000
    variant = replace(AS_WRITTEN, tokenize=lambda text: seen.append(text) or text)
    chunks = encode_corpus(SystemColumns(texts, {"": texts}, [[text] for text in texts]), variant)
    next(chunks)
    assert len(seen) < 1_500
    assert len(list(chunks)) >= 2


def test_sentences_of_punkt():
    texts = ["", "No mark", "Mr. Hale met Dr. B. Smith. They left.", 'He said "go." (She did.) It was 1.5 m.']
    assert count_sentences(texts, "punkt").tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("splitter", [str.upper, lambda text: iter([text]), lambda _: [3]])
def test_splitters_that_return_no_list(splitter):
    with pytest.raises(TypeError, match=r"\Asentence_splitter: got .+ from the splitter, expected a list"):
        count_sentences(["a b"], splitter)
