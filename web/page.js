/* What the page does in the browser: it links bars, figures and n-grams with the words that they count, marks n-grams
   of every order, keeps texts and choices in the address, and copies. Texts are only ever set as text. */
(() => {
  "use strict";
  const LIMITS = { keep: 300, speak: 800, said: 1500 };
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  let see = null; // the marked texts of now
  let version = ""; // of these texts
  let grams = []; // for each order, rows of operation, mark, credit, why, whether precision and recall ask, places
  let order = 1;
  let pinnedBy = null; // the button outside the texts that it was chosen by
  let pinned = null; // what was chosen, to come back to after a look at something else

  // --- What belongs to what -----------------------------------------------------------------------------------------

  const keyOf = (text) => (text === 0 ? "s" : text === 1 ? "o" : `r${text - 2}.`);

  /** Call `visit(text, start)` for every place of an n-gram: text 0 is the source, 1 the output, then references. */
  function atPlaces(row, visit) {
    row[5].forEach((starts, text) => starts.forEach((start) => visit(text, start)));
  }

  function keysOf(row, size) {
    const keys = [];
    atPlaces(row, (text, start) => {
      for (let step = 0; step < size; step += 1) keys.push(keyOf(text) + (start + step));
    });
    return keys;
  }

  const words = (key) => all(`.sari-token[data-at="${key}"]`, see);
  const wordAt = (key) => see.querySelector(`.sari-text:not(.sari-line) [data-at="${key}"]`);
  const wordText = (word) => word.querySelector("del, ins, span span").textContent;

  function gramText(row, size) {
    const [first] = keysOf(row, 1);
    const [, text, start] = /^([so]|r\d+\.)(\d+)$/.exec(first);
    return Array.from({ length: size }, (_, step) => wordText(wordAt(text + (Number(start) + step)))).join(" ");
  }

  // --- Light and words ----------------------------------------------------------------------------------------------

  function dark() {
    all(".sari-lit").forEach((part) => part.classList.remove("sari-lit", "lit-right", "lit-wrong", "lit-missed"));
    document.body.classList.remove("sari-lighting");
  }

  /** Light the words and n-grams of these rows, numbered within the order. */
  function light(numbers, size) {
    dark();
    document.body.classList.add("sari-lighting");
    const operations = new Set();
    for (const number of numbers) {
      const row = grams[size - 1][number];
      operations.add(row[0]);
      for (const key of new Set(keysOf(row, size))) {
        words(key).forEach((word) => word.classList.add("sari-lit", `lit-${row[1]}`));
      }
      all(`[data-gram="${size}.${number}"]`).forEach((chip) => chip.classList.add("sari-lit"));
    }
    return operations;
  }

  /** Say something in the panel over the texts; of what stands elsewhere, next to it. */
  function say(...lines) {
    const panel = chosenOutside ? popover() : see.querySelector(".sari-panel");
    panel.replaceChildren(
      ...lines.map(([strong, rest]) => {
        const line = document.createElement("span");
        const bold = document.createElement("b");
        bold.textContent = strong;
        line.append(bold, ` ${rest}`);
        return line;
      }),
    );
  }

  let chosenOutside = null; // what was chosen outside the texts, until something else is

  function popover() {
    let found = document.getElementById("sari-popover");
    if (!found) {
      found = Object.assign(document.createElement("div"), { id: "sari-popover" });
      found.setAttribute("role", "status");
      document.querySelector("main, .gradio-container").append(found);
    }
    return found;
  }

  /** Return a word from which the panel over the texts cannot be seen, as on a phone; null where it can. */
  function farFromPanel(word) {
    const { top, bottom } = see.querySelector(".sari-panel").getBoundingClientRect();
    return bottom < 0 || top > window.innerHeight ? word : null;
  }

  /** Put the popover under what was chosen, or over it where there is no room. */
  function place() {
    const found = popover();
    found.hidden = !chosenOutside?.isConnected;
    if (found.hidden) return;
    const of = chosenOutside.getBoundingClientRect();
    const room = document.documentElement;
    const below = of.bottom + found.offsetHeight + 8 < room.clientHeight;
    found.style.top = `${window.scrollY + (below ? of.bottom + 6 : of.top - found.offsetHeight - 6)}px`;
    found.style.left = `${Math.max(8, Math.min(of.left, room.clientWidth - found.offsetWidth - 8))}px`;
  }

  /** Return the part of a label after the text and its mark. */
  function sentences(button, text) {
    const said = button.getAttribute("aria-label").slice(text.length);
    return said.slice(said.indexOf(". ") + 2);
  }

  const shows = {
    word(key) {
      const word = wordAt(key);
      if (!word) return;
      const numbers = grams[order - 1].flatMap((row, number) => (keysOf(row, order).includes(key) ? [number] : []));
      for (const operation of light(numbers, order)) {
        all(`.sari-pick[data-pick="${operation}"]`)
          .filter((pick) => !pick.dataset.order || Number(pick.dataset.order) === order)
          .forEach((pick) => pick.classList.add("sari-lit"));
      }
      const right = word.querySelector("[class$='-rightly'], .kept");
      const mark = right ? "lit-right" : word.querySelector(".missed") ? "lit-missed" : "lit-wrong";
      words(key).forEach((part) => {
        part.classList.remove("lit-right", "lit-wrong", "lit-missed");
        part.classList.add("sari-lit", mark); // its own mark, whatever else its n-grams count in
      });
      const own = sentences(word, wordText(word));
      const lines = numbers.map((number) => grams[order - 1][number]);
      say(...(order === 1 ? [[wordText(word), own]] : lines.map((row) => [gramText(row, order), row[3]])));
    },
    figure(operation, size, figure, said) {
      setOrder(size);
      const counted = { precision: (row) => row[4][0], recall: (row) => row[4][1] }[figure] || (() => true);
      const numbers = grams[size - 1].flatMap((row, number) => (row[0] === operation && counted(row) ? [number] : []));
      light(numbers, size);
      all(`.sari-pick[data-pick="${operation}"]`)
        .filter((pick) => (pick.dataset.figure || "") === figure && (!figure || Number(pick.dataset.order) === size))
        .forEach((pick) => pick.classList.add("sari-lit"));
      const what = size === 1 ? "single words" : `${size} words in a row`;
      say([figure ? `${operation}, ${what}:` : "", said]);
    },
    choice(key, said) {
      const word = wordAt(key);
      if (!word) return;
      const lines = grams.flatMap((rows, place) =>
        rows.filter((row) => (row[1] !== "missed" || row[0] === "add") && keysOf(row, place + 1).includes(key)).map((row) => [gramText(row, place + 1), row[3]]),
      );
      light(grams[order - 1].flatMap((row, number) => (keysOf(row, order).includes(key) ? [number] : [])), order);
      words(key).forEach((part) => part.classList.add("sari-lit"));
      say([wordText(word), said], ...lines);
    },
    gram(size, number) {
      if (!grams[size - 1]?.[number]) return; // of texts that are just being replaced
      setOrder(size);
      light([number], size);
      const row = grams[size - 1][number];
      const text = gramText(row, size);
      const counted = document.querySelector(`.sari-grams [data-gram="${size}.${number}"]`); // the first of many alone
      say([text, counted ? sentences(counted, text) : row[3]]);
    },
  };

  function show(chosen, by = null) {
    if (!see) return;
    const panel = see.querySelector(".sari-panel");
    chosenOutside = by;
    if (!chosen || by) panel.replaceChildren(panel.dataset.hint);
    if (chosen) shows[chosen[0]](...chosen.slice(1));
    else dark();
    place();
  }

  function chosenBy(element) {
    const word = element.closest(".sari-see .sari-token");
    if (word) return ["word", word.dataset.at];
    const pick = element.closest(".sari-pick");
    if (!pick || !see) return null;
    if (pick.dataset.choice) return ["choice", pick.dataset.choice, pick.dataset.said];
    if (pick.dataset.gram) return ["gram", ...pick.dataset.gram.split(".").map(Number)];
    return ["figure", pick.dataset.pick, Number(pick.dataset.order || order), pick.dataset.figure || "", pick.dataset.said];
  }

  // --- N-grams of one order, as a list -------------------------------------------------------------------------------

  function setOrder(size) {
    if (order !== size) mark(size);
  }

  function mark(size) {
    order = size;
    see.dataset.order = size;
    all(".sari-switch button", see).forEach((button) => {
      button.setAttribute("aria-pressed", String(Number(button.dataset.order) === size));
    });
    listGrams(size);
  }

  /** List the n-grams of several words that lose points, and those that gain some; choosing one lights it. */
  function listGrams(size) {
    const lists = see.querySelector(".sari-lists");
    lists.replaceChildren();
    if (size === 1) return;
    for (const [title, mark] of [["Lost", "wrong"], ["Gained", "right"]]) {
      const list = document.createElement("ul");
      list.setAttribute("aria-label", title);
      const seen = new Set();
      grams[size - 1].forEach((row, number) => {
        const text = gramText(row, size);
        const is = row[1] === "right" ? "right" : "wrong"; // what only references did is lost, too
        if (is !== mark || seen.has(text)) return;
        seen.add(text);
        const item = document.createElement("li");
        item.className = `gram-${row[1]}`;
        const button = Object.assign(document.createElement("button"), { type: "button", className: "sari-pick" });
        button.dataset.gram = `${size}.${number}`;
        button.setAttribute("aria-label", `${text}, ${row[1]}. ${row[3]}`);
        button.append(Object.assign(document.createElement("span"), { textContent: text }));
        item.append(button);
        list.append(item);
      });
      if (!list.children.length) continue;
      lists.append(Object.assign(document.createElement("h2"), { textContent: title }), list);
    }
  }

  // --- Keyboard: a set of words, or of n-grams, is one tab stop -------------------------------------------------------

  const setsOfStops = ".sari-see, .sari-grams ul, .sari-lists ul";
  const stopsIn = (set) => all(set.matches("ul") ? ".sari-pick" : ".sari-token[role=button]", set);

  function rove(set) {
    set.dataset.roving = "";
    stopsIn(set).forEach((stop, place) => (stop.tabIndex = place ? -1 : 0));
  }

  function move(event, stop) {
    const stops = stopsIn(stop.closest(setsOfStops));
    const here = stops.indexOf(stop);
    const text = stop.closest(".sari-text, ul");
    const forward = getComputedStyle(text).direction === "rtl" ? -1 : 1;
    const texts = all(".sari-text:not(.sari-line)", see);
    const inNextText = (step) => texts[texts.indexOf(text) + step]?.querySelector(".sari-token");
    const next = {
      ArrowRight: () => stops[here + forward],
      ArrowLeft: () => stops[here - forward],
      ArrowDown: () => inNextText(1),
      ArrowUp: () => inNextText(-1),
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

  // --- The address ---------------------------------------------------------------------------------------------------

  const TEXTS = ["source", "output", "references"];
  const COMPARISON = "comparison";
  const FIRST_VIEW = "sentence";
  let carried = []; // the texts and the choices
  let linked = new URLSearchParams(); // what the address named when its texts were taken over
  let timer = 0;

  const tabs = () => all("[role=tab]", document.querySelector("[role=tablist]") ?? document.createElement("p"));
  const nameOf = (tab) => tab.textContent.trim().toLowerCase();
  const currentView = () => nameOf(tabs().find((tab) => tab.ariaSelected === "true") ?? { textContent: FIRST_VIEW });

  /** Return which segment was opened from another view, now or when its link was made; it is known by its source. */
  function placeOfSegment() {
    const names = ["system", "line"];
    const place = document.querySelector("#place .sari-place");
    if (place?.offsetParent) return names.map((name) => [name, place.dataset[name]]);
    const source = carried.find(([name]) => name === "source")?.[1];
    return source === linked.get("source") ? names.map((name) => [name, linked.get(name)]) : [];
  }

  /** Return the address of what is seen: texts and choices, the view, and which segment was opened from another one. */
  function addressOf(view) {
    const compared = view === "compare" && document.querySelector("#systems .sari-comparison");
    const parts = compared ? [[COMPARISON, compared.textContent]] : carried.filter(([, value]) => value !== "default" && value !== null);
    parts.push(...(view === FIRST_VIEW ? placeOfSegment().filter(([, value]) => value) : [["tab", view]]));
    return parts.length ? `#${new URLSearchParams(parts)}` : location.pathname + location.search;
  }

  function writeLink(how = "replaceState") {
    clearTimeout(timer);
    timer = 0;
    const address = addressOf(currentView());
    history[how](null, "", address);
    // In a Space the page is in a frame, and what is around it shows the address.
    const hash = address.startsWith("#") ? address : "";
    if (window.parent !== window) window.parent.postMessage({ hash }, "https://huggingface.co");
  }

  let view = FIRST_VIEW; // the one that the address names
  /** Make another view a step in the history; those of the history itself are none. */
  function followView() {
    const now = currentView();
    if (now === view) return;
    view = now;
    writeLink("pushState");
  }

  function showView(told) {
    view = told.get("tab") ?? FIRST_VIEW;
    if (currentView() !== view) tabs().find((tab) => nameOf(tab) === view)?.click();
  }

  /** Show what the address names: after Back, Forward, or a link that somebody entered. */
  function followAddress() {
    clearTimeout(timer);
    const told = new URLSearchParams(location.hash.slice(1));
    showView(told);
    if (told.has("source")) document.getElementById("from-link")?.click();
    openComparison(told);
  }

  const linkedComparison = () => [new URLSearchParams(location.hash.slice(1)).get(COMPARISON) ?? ""];

  /** Compare what the address carries, unless that is what is shown; the view may still be on its way. */
  function openComparison(told, tries = 100) {
    const shown = document.querySelector("#systems .sari-comparison")?.textContent;
    if (!told.has(COMPARISON) || told.get(COMPARISON) === shown) return;
    const button = document.getElementById("comparison-from-link");
    if (button) button.click();
    else if (tries) setTimeout(openComparison, 50, told, tries - 1);
  }

  function startComparison() {
    document.getElementById("compare-systems").click();
    return [];
  }

  function keepLink(...values) {
    const named = [...TEXTS, ...window.sariChoices.map(([name]) => name)].map((name, place) => [name, values[place]]);
    carried = named;
    clearTimeout(timer);
    timer = setTimeout(writeLink, LIMITS.keep);
    return [];
  }

  /** Return what the link carries, for the components; what it does not carry stays. */
  function fromLink(...values) {
    const told = new URLSearchParams(location.hash.slice(1));
    showView(told);
    openComparison(told);
    if (!told.has("source")) return values;
    linked = told;
    const chosen = window.sariChoices.map(([name, allowed], place) => {
      const value = told.get(name);
      const usable = value !== null && (allowed ? allowed.includes(value) : Number.isFinite(Number(value)));
      return usable ? (allowed ? value : Number(value)) : values[TEXTS.length + place];
    });
    return [...TEXTS.map((name) => told.get(name) ?? ""), ...chosen];
  }

  async function copy(button) {
    writeLink();
    const of = button.dataset.copy;
    const text = of === "link" ? location.href : button.closest(".sari-share").querySelector(`.sari-${of}`).textContent;
    let said = "Copied";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      said = "Not allowed here: please copy by hand";
    }
    const name = button.dataset.name || button.textContent;
    button.dataset.name = name;
    button.textContent = said;
    speak(said);
    setTimeout(() => (button.textContent = name), LIMITS.said);
  }

  // --- What is said aloud --------------------------------------------------------------------------------------------

  let speaking = 0;
  function speak(text) {
    let live = document.getElementById("sari-live");
    if (!live) {
      live = Object.assign(document.createElement("p"), { id: "sari-live", className: "sari-unseen" });
      live.setAttribute("role", "status");
      document.querySelector("main, .gradio-container").append(live);
    }
    live.textContent = text;
  }

  let spoken = null;
  function speakScore() {
    const parts = all("#scores .sari-scores, #scores .sari-refusal");
    const text = parts.map((part) => part.dataset.said || part.textContent).join(" ");
    if (text === spoken) return;
    const isFirst = spoken === null;
    spoken = text;
    clearTimeout(speaking);
    if (!isFirst) speaking = setTimeout(() => speak(text), LIMITS.speak);
  }

  /** Bring a part of the page into view, and the focus with it, and say what is there. */
  function showPart(id) {
    const part = document.getElementById(id);
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
    part.scrollIntoView({ block: "start" });
    if (id === "systems") writeLink(); // the address carries what was compared
    const said = part.querySelector("[data-said], .sari-refusal");
    if (said && id !== "scores") {
      clearTimeout(speaking);
      speak(said.dataset.said || said.textContent); // that of a sentence is said as it changes
    }
    return [];
  }

  let left = null; // what was chosen in another view, to come back to

  /** Come back to what was chosen in another view, once that view is there. */
  function comeBack(tries = 100) {
    if (!left) return [];
    const there = left.chosen.isConnected ? left.chosen : document.getElementById(left.id);
    if (!there?.offsetParent) {
      if (tries > 0) requestAnimationFrame(() => comeBack(tries - 1));
      return [];
    }
    if (!there.hasAttribute("tabindex")) there.tabIndex = -1;
    window.scrollTo(0, left.scroll);
    there.focus({ preventScroll: true });
    return [];
  }

  document.addEventListener(
    "click",
    ({ target }) => {
      const from = target.closest("#sentences, #differences, #segments");
      if (from) left = { id: from.id, chosen: target.closest("[tabindex], button") ?? from, scroll: window.scrollY };
    },
    true,
  );

  /** Save a file that the server has made: click the link to it, once it is there. */
  function download(id, tries = 50) {
    const link = document.querySelector(`#${id} a, a#${id}, #${id}`);
    if (link?.href || link?.matches("button")) link.click();
    else if (tries) setTimeout(() => download(id, tries - 1), 50);
    return [];
  }

  // --- Tables that sort ----------------------------------------------------------------------------------------------

  /** Sort the rows of a table by the column of a head: numbers high to low at first, words from A to Z. */
  function sort(head) {
    const down = head.getAttribute("aria-sort") !== "descending" && !(head.cellIndex === 0 && !head.ariaSort);
    const body = head.closest("table").tBodies[0];
    const value = (row) => row.cells[head.cellIndex].innerText.replace("−", "-").trim();
    const compare = (one, other) => {
      const [left, right] = [value(one), value(other)];
      const numbers = [parseFloat(left), parseFloat(right)];
      if (numbers.some(Number.isNaN)) return left.localeCompare(right);
      return numbers[0] - numbers[1];
    };
    body.append(...[...body.rows].sort((one, other) => (down ? -1 : 1) * compare(one, other)));
    all("th[aria-sort]", head.closest("tr")).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  // --- What the components of others lack ----------------------------------------------------------------------------

  function mend() {
    const once = (selector) => all(selector).filter((part) => !part.dataset.mended && (part.dataset.mended = "yes"));
    once(".search-input").forEach((search) => search.setAttribute("aria-label", search.closest("#segments") ? "Search the segments" : "Search the sentences"));
    once('#card a[href^="http"]').forEach((link) => (link.target = "_blank"));
    once('button[aria-label="common.upload"]').forEach((button) => button.setAttribute("aria-label", "Add files"));
    once('[role="listbox"]').forEach((list) => (list.tabIndex = -1)); // Tab would go there, and be lost as it closes
    once('button[aria-label="Add files"] *').forEach((inner) => (inner.inert = true));
  }

  // --- Events --------------------------------------------------------------------------------------------------------

  /** Take over what the server sent: Gradio patches what is there, so that only the version shows that texts are new. */
  function refresh() {
    const now = document.querySelector(".sari-see");
    if (now && (now !== see || now.dataset.version !== version)) {
      see = now;
      version = see.dataset.version;
      grams = JSON.parse(see.querySelector(".sari-data").textContent);
      pinned = null;
      show(null);
      mark(Math.min(order, grams.length));
      rove(see);
    }
    followView();
    all(setsOfStops).filter((set) => !("roving" in set.dataset)).forEach(rove);
    speakScore();
    mend();
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const word = event.target.closest?.(".sari-see .sari-token");
    if (word) show(["word", word.dataset.at]);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType !== "touch" && event.target.closest?.(".sari-see .sari-token")) show(pinned, pinnedBy);
  });
  document.addEventListener("focusin", (event) => {
    const word = event.target.closest?.(".sari-see .sari-token");
    if (word) show(["word", word.dataset.at]);
  });
  document.addEventListener("focusout", (event) => {
    if (event.target.closest?.(".sari-see .sari-token")) show(pinned, pinnedBy);
  });
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (target.closest("[role=tab]")) { // the explanation does not stay over another view
      pinned = null;
      show(null);
    }
    const size = target.closest(".sari-switch button");
    const inside = target.closest('a[href^="#"]');
    if (inside) { // the address carries texts, so it does not change
      event.preventDefault();
      document.getElementById(decodeURIComponent(inside.hash.slice(1)))?.scrollIntoView();
      return;
    }
    const button = target.closest("[data-copy]");
    const tried = target.closest(".sari-try");
    if (tried) {
      const box = document.querySelector("#output-box textarea");
      box.value = tried.dataset.output;
      box.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (size) {
      pinned = null;
      setOrder(Number(size.dataset.order));
      show(null);
    } else if (button) copy(button);
    else if (target.closest(".sari-sortable thead button")) sort(target.closest("th"));
    else {
      const bar = target.closest(".sari-see, .sari-pick") ? target : target.closest(".sari-bar")?.querySelector(".sari-pick");
      const chosen = bar && chosenBy(bar);
      if (!chosen) return;
      const again = JSON.stringify(chosen) === JSON.stringify(pinned);
      pinned = again ? null : chosen;
      pinnedBy = pinned && (bar.closest(".sari-pick") ?? farFromPanel(bar.closest(".sari-token")));
      show(pinned, pinnedBy);
    }
  });
  document.addEventListener("keydown", (event) => {
    const stop = event.target.closest?.(".sari-see .sari-token, .sari-grams .sari-pick, .sari-lists .sari-pick");
    if (event.key === "Escape") {
      pinned = null;
      show(null);
    } else if (stop && (event.key === "Enter" || event.key === " ") && stop.matches(".sari-token")) {
      event.preventDefault();
      stop.click();
    } else if (stop) move(event, stop);
  });
  window.addEventListener("resize", place);
  window.addEventListener("popstate", followAddress);
  new MutationObserver(refresh).observe(document.documentElement, { childList: true, subtree: true, attributeFilter: ["aria-selected"] });

  window.sari = { keepLink, fromLink, linkedComparison, startComparison, showPart, comeBack, download };
})();
