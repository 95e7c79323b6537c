/* What the page does in the browser: it links bars and n-grams with the words that they count, lists n-grams of
   every order, keeps texts and choices in the address, and copies. Texts are only ever set as text. */
(() => {
  "use strict";
  const WAIT = { link: 300, speech: 800, copied: 1500 }; // milliseconds
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  let see = null; // the marked texts
  let grams = []; // for each order its n-grams, as `_gram_rows` of rendering.py returns them
  let order = 1;
  let pinned = null; // what was chosen, to come back to after a look at something else

  /** Return an element of the page that is made once, for what Gradio does not know of. */
  function addition(id, role) {
    let element = document.getElementById(id);
    if (!element) {
      element = Object.assign(document.createElement("div"), { id, hidden: true });
      if (role) element.setAttribute("role", role);
      document.querySelector("main, .gradio-container").append(element);
    }
    return element;
  }

  // --- Words and n-grams --------------------------------------------------------------------------------------------

  const keyOf = (text) => (text === 0 ? "s" : text === 1 ? "o" : `r${text - 2}.`);

  /** Return the keys of the words at all places of an n-gram: text 0 is the source, 1 the output, then references. */
  function keysOf(row, size) {
    const steps = [...Array(size).keys()];
    return row.places.flatMap((starts, text) => starts.flatMap((start) => steps.map((step) => keyOf(text) + (start + step))));
  }

  const words = (key) => all(`.sari-token[data-at="${key}"]`, see);
  const wordAt = (key) => see.querySelector(`[data-at="${key}"]`);
  const wordText = (word) => word.querySelector("del, ins, span span").textContent;
  const gramText = (row, size) => keysOf(row, size).slice(0, size).map((key) => wordText(wordAt(key))).join(" ");

  /** Return the part of a label after the text and its mark. */
  function sentences(button, text) {
    const label = button.getAttribute("aria-label").slice(text.length);
    return label.slice(label.indexOf(". ") + 2);
  }

  // --- Light and the panel ------------------------------------------------------------------------------------------

  function dark() {
    all(".sari-lit").forEach((part) => part.classList.remove("sari-lit", "lit-right", "lit-wrong", "lit-missed"));
  }

  /** Light the words and n-grams of these rows, numbered within the order, and return their operations. */
  function light(numbers, size) {
    dark();
    const operations = new Set();
    for (const number of numbers) {
      const row = grams[size - 1][number];
      operations.add(row.operation);
      for (const key of new Set(keysOf(row, size))) {
        words(key).forEach((word) => word.classList.add("sari-lit", `lit-${row.mark}`));
      }
      all(`[data-gram="${size}.${number}"]`).forEach((chip) => chip.classList.add("sari-lit"));
    }
    return operations;
  }

  const numbersOf = (size, counts) => grams[size - 1].flatMap((row, number) => (counts(row) ? [number] : []));

  function lightPicks(counts) {
    all(".sari-pick[data-pick]").filter((bar) => counts(bar.dataset.pick)).forEach((bar) => bar.classList.add("sari-lit"));
  }

  /** Fill the panel at the foot of the window with lines: a bold part and the rest. */
  function fill(lines) {
    const panel = addition("sari-panel");
    panel.replaceChildren(
      ...lines.map(([strong, rest]) => {
        const line = document.createElement("p");
        line.append(Object.assign(document.createElement("b"), { textContent: strong }), ` ${rest}`);
        return line;
      }),
    );
    panel.hidden = !lines.length;
    panel.classList.toggle("pinned", pinned !== null);
  }

  // What lights each kind of choice; each returns the lines of the panel.
  const lights = {
    word(key) {
      const word = wordAt(key);
      if (!word) return [];
      const numbers = numbersOf(order, (row) => keysOf(row, order).includes(key));
      const operations = light(numbers, order);
      lightPicks((operation) => operations.has(operation));
      const right = word.querySelector("[class$='-rightly'], .kept");
      const mark = right ? "lit-right" : word.querySelector(".missed") ? "lit-missed" : "lit-wrong";
      words(key).forEach((part) => {
        part.classList.remove("lit-right", "lit-wrong", "lit-missed");
        part.classList.add("sari-lit", mark); // its own mark, whatever else its n-grams count in
      });
      if (order === 1) return [[wordText(word), sentences(word, wordText(word))]];
      return numbers.map((number) => grams[order - 1][number]).map((row) => [gramText(row, order), row.why]);
    },
    bar(operation, text) {
      light(numbersOf(order, (row) => row.operation === operation), order);
      lightPicks((one) => one === operation);
      return [["", text]];
    },
    choice(key, text) {
      const word = wordAt(key);
      if (!word) return [];
      light(numbersOf(order, (row) => keysOf(row, order).includes(key)), order);
      words(key).forEach((part) => part.classList.add("sari-lit"));
      const counts = (row, size) => (row.mark !== "missed" || row.operation === "add") && keysOf(row, size).includes(key);
      const rows = (place) => grams[place].filter((row) => counts(row, place + 1)).map((row) => [gramText(row, place + 1), row.why]);
      return [[wordText(word), text], ...grams.flatMap((_, place) => rows(place))];
    },
    gram(size, number) {
      if (!grams[size - 1]?.[number]) return []; // of texts that are just being replaced
      setOrder(size);
      light([number], size);
      const row = grams[size - 1][number];
      return [[gramText(row, size), row.why]];
    },
  };

  function show(choice) {
    if (!see) return;
    dark();
    fill(choice ? lights[choice[0]](...choice.slice(1)) : []);
  }

  function pin(choice) {
    pinned = JSON.stringify(choice) === JSON.stringify(pinned) ? null : choice;
    show(pinned);
    if (pinned) speak(addition("sari-panel").textContent);
  }

  function choiceOf(element) {
    const word = element.closest(".sari-see .sari-token");
    if (word) return ["word", word.dataset.at];
    const pick = element.closest(".sari-pick") ?? element.closest(".sari-bar")?.querySelector(".sari-pick");
    if (!pick) return null;
    const { choice, gram, pick: operation, words: text } = pick.dataset;
    if (choice) return ["choice", choice, text];
    if (gram) return ["gram", ...gram.split(".").map(Number)];
    return ["bar", operation, text];
  }

  // --- N-grams of one order, as a list -------------------------------------------------------------------------------

  function setOrder(size) {
    if (order === size && see.dataset.order === String(size)) return;
    order = size;
    see.dataset.order = size;
    all(".sari-switch button", see).forEach((button) => {
      button.setAttribute("aria-pressed", String(Number(button.dataset.order) === size));
    });
    const lists = size === 1 ? [] : [["Lost", (mark) => mark !== "right"], ["Gained", (mark) => mark === "right"]];
    see.querySelector(".sari-lists").replaceChildren(...lists.flatMap(([title, counts]) => listOf(title, size, counts)));
  }

  /** Return a heading and a list of the n-grams of an order with some marks, each once; nothing for none. */
  function listOf(title, size, counts) {
    const list = document.createElement("ul");
    list.setAttribute("aria-label", title);
    const listed = new Set();
    for (const number of numbersOf(size, (row) => counts(row.mark))) {
      const row = grams[size - 1][number];
      const text = gramText(row, size);
      if (listed.has(text)) continue;
      listed.add(text);
      const button = Object.assign(document.createElement("button"), { type: "button", className: "sari-pick" });
      button.tabIndex = listed.size > 1 ? -1 : 0;
      button.dataset.gram = `${size}.${number}`;
      button.setAttribute("aria-label", `${text}, ${row.mark}. ${row.why}`);
      button.append(Object.assign(document.createElement("span"), { textContent: text }));
      const item = Object.assign(document.createElement("li"), { className: `gram-${row.mark}` });
      item.append(button);
      list.append(item);
    }
    return listed.size ? [Object.assign(document.createElement("h2"), { textContent: title }), list] : [];
  }

  // --- Keyboard: a set of words, or of n-grams, is one tab stop -------------------------------------------------------

  const SETS = ".sari-see, .sari-lists ul";
  const stopsIn = (set) => all(set.matches("ul") ? ".sari-pick" : ".sari-token[role=button]", set);

  function move(event, stop) {
    const stops = stopsIn(stop.closest(SETS));
    const here = stops.indexOf(stop);
    const text = stop.closest(".sari-text, ul");
    const forward = getComputedStyle(text).direction === "rtl" ? -1 : 1;
    const texts = all(".sari-text", see);
    const inText = (step) => texts[texts.indexOf(text) + step]?.querySelector(".sari-token");
    const next = {
      ArrowRight: () => stops[here + forward],
      ArrowLeft: () => stops[here - forward],
      ArrowDown: () => inText(1),
      ArrowUp: () => inText(-1),
      Home: () => stops[0],
      End: () => stops[stops.length - 1],
    }[event.key];
    if (!next) return;
    event.preventDefault();
    const there = next();
    if (!there) return;
    stops.forEach((one) => (one.tabIndex = one === there ? 0 : -1));
    there.focus();
  }

  // --- The address of the Sentence view ------------------------------------------------------------------------------

  let linkTimer = 0;
  let link = "";

  function writeLink() {
    clearTimeout(linkTimer);
    history.replaceState(null, "", link || location.pathname + location.search);
    // In a Space the page is in a frame, and what is around it shows the address.
    if (window.parent !== window) window.parent.postMessage({ hash: link }, "https://huggingface.co");
  }

  /** Keep the texts and the choices in the address. */
  function keepLink(...values) {
    const parts = window.sariNames.map((name, place) => [name, values[place]]);
    link = `#${new URLSearchParams(parts.filter(([, value]) => value !== "default" && value !== null))}`;
    clearTimeout(linkTimer);
    linkTimer = setTimeout(writeLink, WAIT.link);
    return [];
  }

  // --- Outputs that a button has changed -----------------------------------------------------------------------------

  const outputs = []; // what was in the box before

  /** Return another output for the box, and keep the one before. */
  function replaceOutput(next, before) {
    outputs.push(before);
    return next;
  }

  const undo = (output) => outputs.pop() ?? output;

  // --- Copies, files and speech --------------------------------------------------------------------------------------

  async function copy(button) {
    const what = button.dataset.copy;
    if (what === "link") writeLink();
    const text = what === "link" ? location.href : button.closest(".sari-share").querySelector(`.sari-${what}`).textContent;
    button.dataset.name ??= button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed here: please copy by hand";
    }
    speak(button.textContent);
    setTimeout(() => (button.textContent = button.dataset.name), WAIT.copied);
  }

  let speechTimer = 0;
  /** Let screen readers say something, once nothing else was to be said for a while. */
  function speak(text, wait = 0) {
    const live = addition("sari-live", "status");
    live.hidden = false;
    clearTimeout(speechTimer);
    speechTimer = setTimeout(() => (live.textContent = text), wait);
  }

  const wordsOf = (part) => part.querySelector("[data-words]")?.dataset.words ?? part.textContent.trim();
  const speakScore = (element) => speak(wordsOf(element), WAIT.speech);

  /** Give components of Gradio what they lack for screen readers. */
  function mend() {
    all("#segments .search-input").forEach((box) => box.setAttribute("aria-label", "Search the segments"));
    all('button[aria-label="common.upload"]').forEach((button) => {
      button.setAttribute("aria-label", "Add files");
      all("*", button).forEach((inner) => (inner.inert = true));
    });
    all("[role=listbox]").forEach((list) => (list.tabIndex = -1)); // Tab would go there, and be lost as it closes
  }

  /** Bring the first part of the page that is visible into view, with the focus, and say what is there. */
  function showPart(...ids) {
    requestAnimationFrame(() => {
      mend();
      const part = ids.map((id) => document.getElementById(id)).find((one) => one?.offsetParent && one.textContent.trim());
      if (!part) return;
      part.tabIndex = -1;
      part.focus({ preventScroll: true });
      part.scrollIntoView({ block: "start" });
      speak(wordsOf(part));
    });
    return [];
  }

  // --- Events --------------------------------------------------------------------------------------------------------

  /** Take over marked texts that the server has sent. */
  function takeOver(element) {
    see = element.querySelector(".sari-see");
    pinned = null;
    dark();
    fill([]);
    if (!see) return;
    grams = JSON.parse(see.querySelector(".sari-data").textContent);
    delete see.dataset.order; // the lists are of other texts
    setOrder(Math.min(order, grams.length));
  }

  const word = (event) => event.target.closest?.(".sari-see .sari-token");
  for (const [over, out] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
    document.addEventListener(over, (event) => {
      if (event.pointerType !== "touch" && word(event)) show(["word", word(event).dataset.at]);
    });
    document.addEventListener(out, (event) => {
      if (event.pointerType !== "touch" && word(event)) show(pinned);
    });
  }
  document.addEventListener("click", ({ target }) => {
    const tried = target.closest(".sari-try");
    const button = target.closest("[data-copy]");
    const size = target.closest(".sari-switch button");
    if (target.closest("[role=tab]")) {
      pinned = null; // the explanation does not stay over another view
      show(null);
    } else if (tried) {
      const box = document.querySelector("#output-box textarea");
      box.value = replaceOutput(tried.dataset.output, box.value);
      box.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (button) copy(button);
    else if (size) {
      pinned = null;
      setOrder(Number(size.dataset.order));
      show(null);
    } else {
      const choice = choiceOf(target);
      if (choice) pin(choice);
    }
  });
  document.addEventListener("keydown", (event) => {
    const stop = event.target.closest?.(".sari-see .sari-token, .sari-lists .sari-pick");
    if (event.key === "Tab") mend();
    if (event.key === "Escape") {
      pinned = null;
      show(null);
    } else if (stop?.matches(".sari-token") && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      stop.click();
    } else if (stop) move(event, stop);
  });
  window.addEventListener("hashchange", () => location.reload()); // a link that was entered into the same tab

  window.sari = { keepLink, replaceOutput, undo, takeOver, speakScore, showPart };
})();
