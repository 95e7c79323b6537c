/* What the page does in the browser: it lights words that belong together and says why, keeps texts and choices in the
   address, puts other outputs into the box, and mends what Gradio lacks for keyboards and screen readers. Texts are
   only ever set as text. */
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
    return [[textOf(word), words ?? word.dataset.why], ...(element === pinned ? longer : [])];
  }

  /** Explain a word, a choice or a bar at the foot of the window; nothing for null. */
  function show(element) {
    all(".sari-lit").forEach((part) => part.classList.remove("sari-lit"));
    let panel = document.getElementById("sari-panel");
    if (!panel) {
      panel = Object.assign(document.createElement("div"), { id: "sari-panel" });
      page().append(panel);
    }
    const lines = element && see ? light(element) : [];
    panel.replaceChildren(...lines.map(([strong, rest]) => {
      const line = document.createElement("p");
      line.append(Object.assign(document.createElement("b"), { textContent: strong }), ` ${rest}`);
      return line;
    }));
    return panel.innerText;
  }

  /** Let the explanation of an element stay, until it is clicked again. */
  function pin(element) {
    pinned?.setAttribute("aria-pressed", "false");
    pinned = pinned === element ? null : element;
    pinned?.setAttribute("aria-pressed", "true");
    const words = show(pinned);
    if (pinned) say(words);
  }

  // --- What has changed ---------------------------------------------------------------------------------------------

  let telling = 0;

  /** Let screen readers say a sentence, once there has been no newer one for a while. */
  function say(words) {
    let status = document.getElementById("sari-status");
    if (!status) {
      status = Object.assign(document.createElement("div"), { id: "sari-status", className: "sari-unseen", role: "status" });
      page().append(status);
    }
    clearTimeout(telling);
    telling = setTimeout(() => (status.textContent = words), 500);
    return [];
  }

  const FOCUSED = ".sari-try, .sari-pick, .sari-token, summary, .sari-table";
  const parts = []; // of the page, that the server fills
  let held = null; // the part of the page that has the focus, and the place there

  /** Remember where the focus is, for the case that the part is replaced. */
  function hold(target) {
    const part = parts.find((one) => one.contains(target));
    const element = part && target.closest(FOCUSED);
    const kind = element && FOCUSED.split(", ").find((one) => element.matches(one));
    held = kind ? { part, kind, place: all(kind, part).indexOf(element) } : null;
  }

  /** Give the focus to what stands where it was, or else to the heading; what is folded takes none. */
  function giveBack({ part, kind, place }) {
    const same = all(kind, part);
    const headings = [...all("h2", part), ...all("p", part)];
    headings.forEach((one) => (one.tabIndex = -1));
    [same[place], ...same.reverse(), ...headings].find((one) => {
      one?.focus();
      return document.activeElement === one;
    });
  }

  /** Take over marked texts that the server has sent. */
  function takeOver(part) {
    see = part.querySelector(".sari-see");
    grams = see ? JSON.parse(see.querySelector(".sari-data").textContent) : [];
    pin(null);
  }

  /** Begin with a part of the page that the server fills. */
  function begin(part) {
    parts.push(part);
    if (part.querySelector(".sari-see")) takeOver(part);
  }

  /** Take over what the server has sent for a part: say what is new, and give back the focus that was in it. */
  function changed(part) {
    const news = part.querySelector("[data-say], .sari-refusal");
    if (news) say(news.dataset.say ?? news.textContent);
    if (part.closest("#texts")) takeOver(part);
    if (held?.part === part && document.activeElement === document.body) requestAnimationFrame(() => giveBack(held));
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
  let arrived = null; // what the link brought, as JSON
  const outputs = []; // what was in the box of the output before, while the source was the same

  /** Remember the texts and choices that the link has brought. */
  function arrive(...values) {
    arrived = JSON.stringify(values);
    return [];
  }

  /** Keep texts and choices in the address, once nothing has changed for a while; and return the warning of the link,
      which no longer holds of others. */
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
    return arrived && arrived !== JSON.stringify(values) ? "" : { __type__: "update" };
  }

  /** Return another output for the box, and keep the one before. */
  function replaceOutput(next, before) {
    outputs.push(before);
    return next;
  }

  const undo = (output) => outputs.pop() ?? output;

  // --- What Gradio lacks for screen readers and keyboards -----------------------------------------------------------

  const page = () => document.querySelector("main, .gradio-container");
  /** Return the name of the box of Gradio's that an element is in. */
  const boxOf = (element) =>
    element.closest(".block")?.querySelector("[data-testid=block-label], [data-testid=block-info]")?.textContent.trim() ?? "";
  const fileOf = (element) => element.closest("tr").querySelector(".filename").getAttribute("aria-label");
  const name = (element, words) => element.setAttribute("aria-label", words);

  /** What is mended: a selector, and what is done to each element. Each change is made once, or changes nothing. */
  const MENDS = [
    ["#segments .search-input", (one) => name(one, "Search the segments")],
    ["button.upload-container", (one) => name(one, `Click to upload or drop files: ${boxOf(one)}`)],
    ['[aria-label="common.upload"]', (one) => {
      name(one, `Add files: ${boxOf(one)}`);
      one.title = "Add files";
      all("*", one).forEach((inner) => (inner.inert = true));
    }],
    ['.block:has(.file-preview) [aria-label="Clear"]', (one) => name(one, `Clear: ${boxOf(one)}`)],
    ['[aria-label="Copy"]', (one) => name(one, `Copy: ${boxOf(one)}`)],
    [".label-clear-button", (one) => name(one, `Remove ${fileOf(one)}`)],
    [".download-link", (one) => name(one, `${one.textContent.trim()}: download ${fileOf(one)}`)],
    [".label-wrap", (one) => one.setAttribute("aria-expanded", one.classList.contains("open"))],
    // What cannot be edited can be reached and scrolled by keys.
    ["textarea:disabled", (one) => {
      name(one, boxOf(one));
      Object.assign(one, { disabled: false, readOnly: true });
    }],
    ["[role=listbox]", (one) => (one.tabIndex = -1)], // Tab would go there, and be lost as it closes
    ['.sr-only[role="status"]', (one) => (one.hidden = true)], // Gradio says the names of its messages
  ];
  const mend = () => MENDS.forEach(([selector, change]) => all(selector).forEach(change));

  let mending = 0;
  new MutationObserver(() => {
    cancelAnimationFrame(mending);
    mending = requestAnimationFrame(mend);
  }).observe(document.documentElement, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["class", "disabled", "title"],
  });

  const isMenu = (element) => element.getAttribute?.("role") === "combobox";
  const closeMenu = (menu) => menu.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));

  /** Keep the focus in a menu whose choice was made; the menu stays closed. */
  function stayIn(menu) {
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) menu.focus();
      setTimeout(() => closeMenu(menu));
    });
  }

  /** Bring the first part of the page that is visible into view, with the focus. */
  function showPart(...ids) {
    requestAnimationFrame(() => {
      const parts = ids.map((id) => document.getElementById(id));
      const part = parts.find((one) => one?.offsetParent && one.textContent.trim());
      if (!part || part.contains(document.activeElement)) return;
      part.tabIndex = -1;
      part.focus({ preventScroll: true });
      part.scrollIntoView({ block: "start" });
    });
    return [];
  }

  // --- Events -------------------------------------------------------------------------------------------------------

  const wordOf = (event) => event.target.closest?.(".sari-token");
  let leaving = 0;
  // Who magnifies the page takes a while from a word to its explanation.
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    clearTimeout(leaving);
    if (wordOf(event)) show(wordOf(event));
    else if (!event.target.closest?.("#sari-panel")) leaving = setTimeout(() => show(pinned), 1000);
  });
  document.addEventListener("pointerdown", ({ target }) => hold(target));
  document.addEventListener("focusin", ({ target }) => hold(target));
  document.addEventListener("focusout", ({ target }) => {
    if (isMenu(target)) closeMenu(target);
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
    if (!event.isTrusted) return; // `closeMenu`
    if (isMenu(event.target) && event.key === "Enter") stayIn(event.target);
    if (event.key === "Escape") {
      clearTimeout(leaving);
      pin(null);
    }
    else if (word && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      pin(word);
    } else if (word) move(event, word);
  });
  document.addEventListener("keyup", ({ key, target }) => {
    if (key === "Tab" && isMenu(target)) closeMenu(target); // which Gradio opens over the names of what follows
  });
  window.addEventListener("hashchange", () => location.reload()); // a link that was entered into the same tab

  window.sari = { begin, changed, say, arrive, keepLink, replaceOutput, undo, showPart };
})();
