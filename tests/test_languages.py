"""The table of scripts agrees with Unicode, and with what is written in them."""

import pytest
import regex

from sari.languages import SCRIPTS, count_letters

#: The first words of the declaration of human rights, or as many others, in a script.
WORDS = {
    "Latin": "Alle Menschen sind frei und gleich an Würde, çağdaş, Điều, žluťoučký",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι",
    "Cyrillic": "Все люди рождаются свободными, Їжак, ђак",
    "Armenian": "Բոլոր մարդիկ ծնվում են ազատ",
    "Hebrew": "כל בני האדם נולדו בני חורין",
    "Arabic": "يولد جميع الناس أحرارا، تمام افراد بشر آزاد زاده می\u200cشوند، تمام انسان آزاد ہیں",
    "Devanagari": "सभी मनुष्यों को गौरव और अधिकार",
    "Bengali": "সমস্ত মানুষ স্বাধীনভাবে",
    "Gurmukhi": "ਸਾਰਾ ਮਨੁੱਖੀ ਪਰਿਵਾਰ",
    "Gujarati": "પ્રતિષ્ઠા અને અધિકારોની દૃષ્ટિએ",
    "Oriya": "ସବୁ ମନୁଷ୍ୟ ଜନ୍ମକାଳରୁ",
    "Tamil": "மனிதப் பிறவியினர் சகலரும்",
    "Telugu": "ప్రతిపత్తిస్వత్వముల విషయమున",
    "Kannada": "ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ",
    "Malayalam": "മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും",
    "Sinhala": "සියලු මනුෂ්‍යයෝ නිදහස්ව",
    "Georgian": "ყველა ადამიანი იბადება",
    "Ethiopic": "የሰው ልጅ ሁሉ ሲወለድ",
    "Hangul": "모든 인간은 태어날 때부터",
    "Kana": "すべてのデータ",
    "Han": "人人生而自由",
    "Thai": "มนุษย์ทั้งหลายเกิดมามีอิสระ",
    "Lao": "ມະນຸດທຸກຄົນເກີດມາ",
    "Khmer": "មនុស្សទាំងអស់",
    "Myanmar": "လူတိုင်းသည်",
    "Tibetan": "འགྲོ་བ་མིའི་རིགས",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_letters_are_those_of_the_script(name):
    ours = regex.compile(f"[{SCRIPTS[name].letters}]")
    theirs = regex.compile(r"[\p{Hiragana}\p{Katakana}ー]" if name == "Kana" else rf"\p{{{name}}}")
    others = regex.compile(r"\p{Cn}|\p{Common}|\p{Inherited}")
    assert not [
        one for one in map(chr, range(0x31000)) if ours.match(one) and not (theirs.match(one) or others.match(one))
    ]
    letters = regex.sub(r"[^\p{L}\p{M}]", "", WORDS[name])
    assert count_letters([WORDS[name]]) == {name: len(letters)}


@pytest.mark.parametrize("name", SCRIPTS)
def test_marks_end_sentences(name):
    others = {"Greek": ";", "Tibetan": "།༎", "Armenian": "՞՜"}.get(name, "")
    assert not [mark for mark in SCRIPTS[name].marks if mark not in others and not regex.match(r"\p{STerm}", mark)]


def test_letters_are_counted():
    assert count_letters([]) == {}
    assert count_letters(["カタカナとひらがな、漢字。", "ABC"]) == {"Kana": 9, "Han": 2, "Latin": 3}
