/* What the page does in the browser: it lights words that belong together and says why, keeps texts and choices in the
   address, and puts other outputs into the box. Texts are only ever set as text. */
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  let see = null; // the marked texts
  let grams = []; // for each order its n-grams, as `_gram_rows` of rendering.py returns them
  let pinned = null; // the word, choice or bar that was clicked, whose explanation stays

  // --- Words and n-grams --------------------------------------------------------------------------------------------

  /** Return the keys of the words at all places of an n-gram: "s3" is in the source, "o0" in the output, "r1.2" in a
      reference. */
  function keysOf(gram, size) {
    const keysFrom = (text, start) => [...Array(size).keys()].map((step) => text + (start + step));
    return Object.entries(gram.places).flatMap(([text, starts]) => starts.flatMap((start) => keysFrom(text, start)));
  }

  const wordAt = (key) => see.querySelector(`[data-at="${key}"]`);
  const textOf = (word) => word.querySelector("del, ins, span span").textContent;
  const textOfGram = (gram, size) => keysOf(gram, size).slice(0, size).map((key) => textOf(wordAt(key))).join(" ");

  /** Return why a word has its mark: its label without the word and the mark. */
  function whyOf(word) {
    const label = word.getAttribute("aria-label").slice(textOf(word).length);
    return label.slice(label.indexOf(". ") + 2);
  }

  // --- Light and the panel ------------------------------------------------------------------------------------------

  /** Light what a word, a choice or a bar counts in, and return why, in lines: a bold part and the rest. */
  function light(element) {
    const { at, choice, pick, words } = element.dataset;
    const key = at ?? choice;
    const word = key && wordAt(key);
    if (key && !word) return []; // of texts that are just being replaced
    const belongs = (gram, size) => (key ? keysOf(gram, size).includes(key) : gram.operation === pick);
    const single = grams[0].filter((gram) => belongs(gram, 1));
    const lit = single.flatMap((gram) => keysOf(gram, 1)).map(wordAt);
    const bars = all("[data-pick]").filter((bar) => single.some((gram) => gram.operation === bar.dataset.pick));
    [...lit, ...bars].forEach((part) => part.classList.add("sari-lit"));
    if (pick) return [["", words]];
    word.classList.add("sari-lit");
    const counts = (gram, size) => belongs(gram, size) && (gram.mark !== "missed" || gram.operation === "add");
    const longer = grams.slice(1).flatMap((list, place) => list
      .filter((gram) => counts(gram, place + 2)).map((gram) => [textOfGram(gram, place + 2), gram.why]));
    return [[textOf(word), words ?? whyOf(word)], ...(element === pinned ? longer : [])];
  }

  /** Explain a word, a choice or a bar at the foot of the window; nothing for null. */
  function show(element) {
    all(".sari-lit").forEach((part) => part.classList.remove("sari-lit"));
    let panel = document.getElementById("sari-panel");
    if (!panel) {
      panel = Object.assign(document.createElement("div"), { id: "sari-panel", role: "status" });
      document.querySelector("main, .gradio-container").append(panel);
    }
    const lines = element && see ? light(element) : [];
    panel.replaceChildren(...lines.map(([strong, rest]) => {
      const line = document.createElement("p");
      line.append(Object.assign(document.createElement("b"), { textContent: strong }), ` ${rest}`);
      return line;
    }));
    panel.classList.toggle("pinned", pinned !== null);
  }

  /** Let the explanation of an element stay, until it is clicked again. */
  function pin(element) {
    pinned = pinned === element ? null : element;
    show(pinned);
  }

  /** Take over marked texts that the server has sent. */
  function takeOver(element) {
    see = element.querySelector(".sari-see");
    grams = see ? JSON.parse(see.querySelector(".sari-data").textContent) : [];
    pin(null);
  }

  // --- Keyboard: all words are one tab stop -------------------------------------------------------------------------

  function move(event, word) {
    const words = all(".sari-token", see);
    const text = word.closest(".sari-text");
    const texts = all(".sari-text", see);
    const here = words.indexOf(word);
    const forward = getComputedStyle(text).direction === "rtl" ? -1 : 1;
    const inText = (step) => texts[texts.indexOf(text) + step]?.querySelector(".sari-token");
    const next = {
      ArrowRight: words[here + forward],
      ArrowLeft: words[here - forward],
      ArrowDown: inText(1),
      ArrowUp: inText(-1),
      Home: words[0],
      End: words.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    words.forEach((one) => (one.tabIndex = one === next ? 0 : -1));
    next.focus();
  }

  // --- The address and the output -----------------------------------------------------------------------------------

  let timer = 0;
  let source; // the text in its box
  const outputs = []; // what was in the box of the output before, while the source was the same

  /** Keep texts and choices in the address, once nothing has changed for a while. */
  function keepLink(names, values) {
    if (values[0] !== (source ??= values[0])) outputs.length = 0;
    [source] = values;
    const parts = names.map((name, place) => [name, values[place]]).filter(([, value]) => value !== "default");
    clearTimeout(timer);
    timer = setTimeout(() => {
      const hash = `#${new URLSearchParams(parts)}`;
      history.replaceState(null, "", hash);
      // In a Space the page is in a frame, and what is around it shows the address.
      if (window.parent !== window) window.parent.postMessage({ hash }, "https://huggingface.co");
    }, 300);
    return [];
  }

  /** Return another output for the box, and keep the one before. */
  function replaceOutput(next, before) {
    outputs.push(before);
    return next;
  }

  const undo = (output) => outputs.pop() ?? output;

  // --- What Gradio lacks for screen readers and keyboards -----------------------------------------------------------

  function mend() {
    all("#segments .search-input").forEach((box) => box.setAttribute("aria-label", "Search the segments"));
    all('button[aria-label="common.upload"]').forEach((button) => {
      button.setAttribute("aria-label", "Add files");
      all("*", button).forEach((inner) => (inner.inert = true));
    });
    all("[role=listbox]").forEach((list) => (list.tabIndex = -1)); // Tab would go there, and be lost as it closes
  }

  /** Bring the first part of the page that is visible into view, with the focus. */
  function showPart(...ids) {
    requestAnimationFrame(() => {
      mend();
      const parts = ids.map((id) => document.getElementById(id));
      const part = parts.find((one) => one?.offsetParent && one.textContent.trim());
      if (!part) return;
      part.tabIndex = -1;
      part.focus({ preventScroll: true });
      part.scrollIntoView({ block: "start" });
    });
    return [];
  }

  // --- Events -------------------------------------------------------------------------------------------------------

  const wordOf = (event) => event.target.closest?.(".sari-token");
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch" && wordOf(event)) show(wordOf(event));
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType !== "touch" && wordOf(event)) show(pinned);
  });
  document.addEventListener("click", ({ target }) => {
    const tried = target.closest(".sari-try");
    const bar = target.closest(".sari-bar");
    const chosen = target.closest(".sari-token, .sari-pick") ?? bar?.querySelector(".sari-pick");
    if (tried) {
      const box = document.querySelector("#output textarea");
      box.value = replaceOutput(tried.dataset.output, box.value);
      box.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (chosen) pin(chosen);
    else if (target.closest("[role=tab]")) pin(null); // the explanation does not stay over another view
  });
  document.addEventListener("keydown", (event) => {
    const word = wordOf(event);
    if (event.key === "Tab") mend();
    if (event.key === "Escape") pin(null);
    else if (word && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      pin(word);
    } else if (word) move(event, word);
  });
  window.addEventListener("hashchange", () => location.reload()); // a link that was entered into the same tab

  window.sari = { keepLink, replaceOutput, undo, takeOver, showPart };
})();
