"""Sentences in many languages, as people write them: two sources with an output and a reference each, by language."""

#: By language, the tokenizers that fit it, the best first, and its sentences.
SENTENCES = {
    "English": (
        ("13a", "intl", "moses"),
        (
            "The bridge, which was erected in 1874, collapsed during a storm.",
            "The bridge was built in 1874. It fell in a storm.",
            "A storm destroyed the bridge, built in 1874.",
        ),
        (
            "Most of these beetles inhabit the soil; they don't fly.",
            "Most of these beetles live in the ground and don't fly.",
            "These beetles mostly live in soil. They don't fly.",
        ),
    ),
    "German": (
        ("13a", "intl"),
        (
            "Die Brücke, die 1874 errichtet wurde, stürzte während eines Sturms ein.",
            "Die Brücke wurde 1874 gebaut. Ein Sturm zerstörte sie.",
            "Ein Sturm hat die Brücke von 1874 zerstört.",
        ),
        (
            "Diese Käfer bewohnen größtenteils das Erdreich und fliegen nicht.",
            "Diese Käfer leben meist in der Erde. Sie fliegen nicht.",
            "Die meisten dieser Käfer leben im Boden.",
        ),
    ),
    "French": (
        ("13a", "intl"),
        (
            "Le pont, érigé en 1874, s’est effondré pendant une tempête.",
            "Le pont a été construit en 1874. Il s’est effondré dans une tempête.",
            "Une tempête a détruit le pont. Il datait de l’année 1874.",
        ),
        (
            "La plupart de ces coléoptères habitent le sol : ils ne volent pas !",
            "Ces insectes vivent surtout dans le sol. Ils ne volent pas !",
            "Ces insectes vivent dans le sol et ne volent pas !",
        ),
    ),
    "Spanish": (
        ("13a", "intl"),
        (
            "El puente, erigido en 1874, se derrumbó durante una tormenta.",
            "El puente se construyó en 1874. Cayó en una tormenta.",
            "Una tormenta destruyó el puente de 1874.",
        ),
        (
            "¿Por qué la mayoría de estos escarabajos habita en el suelo?",
            "¿Por qué viven estos escarabajos en el suelo?",
            "¿Por qué estos insectos viven bajo tierra?",
        ),
    ),
    "Portuguese": (
        ("13a", "intl"),
        (
            "A ponte, erguida em 1874, desabou durante uma tempestade.",
            "A ponte foi construída em 1874. Ela caiu numa tempestade.",
            "Uma tempestade destruiu a ponte de 1874.",
        ),
        (
            "A maioria destes besouros habita o solo e não voa.",
            "Estes besouros vivem no chão. Eles não voam.",
            "Estes insetos vivem na terra e não voam.",
        ),
    ),
    "Italian": (
        ("13a", "intl"),
        (
            "Il ponte, eretto nel 1874, è crollato durante una tempesta.",
            "Il ponte fu costruito nel 1874. È caduto in una tempesta.",
            "Una tempesta ha distrutto il ponte del 1874.",
        ),
        (
            "La maggior parte di questi coleotteri abita nel suolo, perché non vola.",
            "Questi insetti vivono nel suolo perché non volano.",
            "Questi insetti non volano: così vivono nella terra.",
        ),
    ),
    "Swedish": (
        ("13a", "intl"),
        (
            "Bron, som uppfördes 1874, rasade under en storm.",
            "Bron byggdes 1874. Den rasade i en storm.",
            "En storm förstörde bron från 1874.",
        ),
        (
            "Merparten av dessa skalbaggar lever under jord och flyger inte.",
            "De flesta av skalbaggarna lever på marken. De flyger inte.",
            "Skalbaggarna bor i jorden och flyger inte.",
        ),
    ),
    "Polish": (
        ("13a", "intl"),
        (
            "Most, który wzniesiono w 1874 roku, runął podczas burzy.",
            "Most zbudowano w 1874 roku. Zniszczyła go burza.",
            "Burza zniszczyła most z 1874 roku.",
        ),
        (
            "Większość tych chrząszczy zamieszkuje glebę i nie lata.",
            "Te chrząszcze żyją w ziemi. Nie latają.",
            "Te owady mieszkają w ziemi i nie latają.",
        ),
    ),
    "Turkish": (
        ("13a", "intl"),
        (
            "1874 yılında inşa edilen Irmak Köprüsü bir fırtına sırasında çöktü.",
            "Irmak Köprüsü 1874 yılında yapıldı. Fırtınada çöktü.",
            "Fırtına, Irmak Köprüsü'nü yıktı.",
        ),
        (
            "İstanbul'daki bu böceklerin çoğu toprak altında yaşar ve uçmaz.",
            "İstanbul'daki böcekler toprakta yaşar. Uçmazlar.",
            "Bu böcekler İstanbul'da toprakta yaşar.",
        ),
    ),
    "Vietnamese": (
        ("13a", "intl"),
        (
            "Cây cầu được xây dựng vào năm 1874 đã sụp đổ trong một cơn bão.",
            "Cây cầu xây năm 1874 đã sập trong bão.",
            "Bão làm sập cây cầu xây năm 1874.",
        ),
        (
            "Phần lớn những con bọ này sinh sống dưới lòng đất và không biết bay.",
            "Những con bọ này sống dưới đất. Chúng không bay.",
            "Các con bọ này sống trong đất, không bay.",
        ),
    ),
    "Russian": (
        ("13a", "intl"),
        (
            "Мост, возведённый в 1874 году, обрушился во время бури.",
            "Мост построили в 1874 году. Он упал в бурю.",
            "Буря разрушила мост 1874 года.",
        ),
        (
            "Большинство этих жуков обитает в почве и не летает.",
            "Эти жуки живут в земле. Они не летают.",
            "Жуки живут в земле и не умеют летать.",
        ),
    ),
    "Greek": (
        ("13a", "intl"),
        (
            "Η γέφυρα, που ανεγέρθηκε το 1874, κατέρρευσε σε μια καταιγίδα.",
            "Η γέφυρα χτίστηκε το 1874. Έπεσε σε μια καταιγίδα.",
            "Μια καταιγίδα κατέστρεψε τη γέφυρα του 1874.",
        ),
        (
            "Γιατί τα περισσότερα σκαθάρια κατοικούν στο έδαφος;",
            "Γιατί ζουν τα σκαθάρια στο χώμα;",
            "Γιατί τα σκαθάρια ζουν στη γη;",
        ),
    ),
    "Arabic": (
        ("intl",),
        (
            "انهار الجسر الذي شيد عام 1874 خلال عاصفة شديدة.",
            "بني الجسر عام 1874. ثم انهار في عاصفة.",
            "دمرت عاصفة الجسر الذي بني عام 1874.",
        ),
        (
            "لماذا تعيش معظم هذه الخنافس تحت سطح الأرض؟",
            "لماذا تعيش الخنافس تحت الأرض؟",
            "لماذا تسكن هذه الحشرات في التراب؟",
        ),
    ),
    "Persian": (
        ("13a", "intl"),
        (
            "پلی که در سال ۱۸۷۴ احداث شده بود، هنگام توفان فرو می‌ریزد.",
            "پل در سال ۱۸۷۴ ساخته شد. در توفان فرو می‌ریزد.",
            "توفان پل سال ۱۸۷۴ را خراب می‌کند.",
        ),
        (
            "بیشتر این سوسک‌ها در خاک زندگی می‌کنند و پرواز نمی‌کنند.",
            "این سوسک‌ها در خاک زندگی می‌کنند.",
            "سوسک‌ها در زمین زندگی می‌کنند و نمی‌پرند.",
        ),
    ),
    "Hebrew": (
        ("13a", "intl"),
        (
            "הגשר, שהוקם בשנת 1874, התמוטט במהלך סערה.",
            "הגשר נבנה בשנת 1874. הוא נפל בסערה.",
            "סערה הרסה את הגשר משנת 1874.",
        ),
        (
            "רוב החיפושיות הללו שוכנות בקרקע ואינן עפות.",
            "החיפושיות האלה חיות באדמה. הן לא עפות.",
            "החיפושיות גרות באדמה ולא עפות.",
        ),
    ),
    "Urdu": (
        ("intl",),
        (
            "وہ پل جو 1874 میں تعمیر کیا گیا تھا، طوفان کے دوران گر گیا۔",
            "پل 1874 میں بنا تھا۔ وہ طوفان میں گر گیا۔",
            "طوفان نے 1874 کا پل گرا دیا۔",
        ),
        (
            "ان میں سے بیشتر بھونرے زیر زمین رہتے ہیں اور اڑتے نہیں۔",
            "یہ بھونرے زمین میں رہتے ہیں۔ وہ اڑتے نہیں۔",
            "یہ کیڑے زمین کے نیچے رہتے ہیں۔",
        ),
    ),
    "Hindi": (
        ("intl",),
        (
            "सन 1874 में निर्मित पुल एक तूफ़ान के दौरान ढह गया।",
            "पुल 1874 में बना था। वह तूफ़ान में गिर गया।",
            "तूफ़ान ने 1874 का पुल गिरा दिया।",
        ),
        ("इनमें से अधिकांश भृंग मिट्टी में निवास करते हैं और उड़ते नहीं।", "ये कीड़े मिट्टी में रहते हैं। वे उड़ते नहीं।", "ये कीड़े ज़मीन में रहते हैं।"),
    ),
    "Bengali": (
        ("intl",),
        (
            "১৮৭৪ সালে নির্মিত সেতুটি একটি ঝড়ের সময় ধসে পড়ে।",
            "সেতুটি ১৮৭৪ সালে তৈরি। ঝড়ে এটি ভেঙে যায়।",
            "ঝড় ১৮৭৪ সালের সেতুটি ভেঙে দেয়।",
        ),
        ("এই পোকাগুলোর অধিকাংশই মাটিতে বসবাস করে এবং ওড়ে না।", "এই পোকাগুলো মাটিতে থাকে। এরা ওড়ে না।", "পোকাগুলো মাটির নিচে থাকে।"),
    ),
    "Chinese": (
        ("zh", "char", "moses"),
        ("他来了，走了，又回来；这座桥建于1874年。", "他又回来了，桥建于1874年。", "他走了又来，这桥是1874年建的。"),
        (
            "这种甲虫一生大部分时间都生活在地下深处，不会飞。",
            "这种甲虫多半生活在地下，不会飞。",
            "甲虫住在地下，不飞。",
        ),
    ),
    "Japanese": (
        ("ja-mecab", "char"),
        (
            "１８７４年に建設されたその橋は、嵐の最中に崩壊した。",
            "橋は１８７４年に作られ、嵐で壊れた。",
            "嵐で、１８７４年の橋が壊れた。",
        ),
        (
            "これらの甲虫の大半は地中に生息し、飛行しない。",
            "この虫は土の中にいて、飛ばない。",
            "この虫は、土の中でくらす。",
        ),
    ),
    "Korean": (
        ("13a", "intl", "char", "ko-mecab"),
        (
            "1874년에 건설된 그 다리는 폭풍우 중에 붕괴되었다.",
            "다리는 1874년에 지어졌다. 폭풍에 무너졌다.",
            "폭풍이 1874년에 지은 다리를 무너뜨렸다.",
        ),
        (
            "이 딱정벌레의 대부분은 땅속에 서식하며 날지 않는다.",
            "이 딱정벌레는 땅속에 산다. 날지 않는다.",
            "이 벌레는 땅에 살고 날지 않는다.",
        ),
    ),
    "Thai": (
        ("char",),
        ("สะพานซึ่งก่อสร้างขึ้นในปี 1874 พังทลายลงระหว่างเกิดพายุ", "สะพานสร้างในปี 1874 และพังเพราะพายุ", "พายุทำให้สะพานปี 1874 พัง"),
        ("ด้วงเหล่านี้ส่วนใหญ่อาศัยอยู่ใต้ดินและบินไม่ได้", "ด้วงเหล่านี้อยู่ใต้ดิน บินไม่ได้", "ด้วงอยู่ในดินและไม่บิน"),
    ),
}


def columns_of(language):
    """Return eighteen segments: the sentences of a language, alone and together, with numbers before them."""
    _, one, other = SENTENCES[language]
    pairs = [tuple(map(" ".join, zip(*pair, strict=True))) for pair in ((one, other), (other, one))]
    numbered = [tuple(f"{number} {text}" for text in row) for number in range(2, 6) for row in (one, other, *pairs)]
    sources, outputs, references = zip(*[one, other, *numbered], strict=True)
    return {"sources": list(sources), "predictions": list(outputs), "references": [[text] for text in references]}
