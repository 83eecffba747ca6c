// Search in the API reference, and details that open for the printer. Without a script the page is whole.
(() => {
  "use strict";

  const form = document.querySelector("[data-find]");
  if (!form) return;
  const input = form.querySelector("input");
  const found = form.querySelector("[data-found]");
  const hint = [...found.childNodes];
  const page = form.closest("article");
  const folds = [...page.querySelectorAll("details")];

  // A part is a call, or a section beside the calls. Its rows are its fields, headers and answers; what it says outside of
  // them counts for all of them, so that "optimize seconds" finds the field of that call.
  const lines = ".fields > div, .opening > p";
  const parts = [...page.querySelectorAll("[data-part]")].map((part) => {
    const lists = [...part.querySelectorAll("[data-rows]")].map((box) => ({
      box, rows: [...box.querySelectorAll(lines)].map((row) => ({ row, text: row.textContent.toLowerCase() })),
    }));
    const head = [...part.children].filter((el) => !el.matches("[data-rows], [data-samples]"));
    return { part, lists, text: head.map((el) => el.textContent).join(" ").toLowerCase() };
  });
  const groups = [...page.querySelectorAll("[data-group]")];

  let opened = null; // which details were open before the search
  const restore = () => {
    if (opened) folds.forEach((fold, i) => { fold.open = opened[i]; });
    opened = null;
  };

  const showAll = () => {
    for (const el of page.querySelectorAll(`[data-part], [data-group], [data-rows], [data-samples], ${lines}`)) el.hidden = false;
    restore();
    found.replaceChildren(...hint);
  };

  const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return showAll();
    opened ??= folds.map((fold) => fold.open);
    let rowsFound = 0;
    let partsFound = 0;
    for (const { part, lists, text } of parts) {
      const whole = words.every((word) => text.includes(word));
      let some = whole;
      for (const { box, rows } of lists) {
        let shown = 0;
        for (const { row, text: own } of rows) {
          const hit = !whole && words.every((word) => own.includes(word) || text.includes(word));
          row.hidden = !whole && !hit;
          if (hit) shown += 1;
        }
        box.hidden = !whole && shown === 0;
        if (box.matches("details")) box.open = shown > 0;
        rowsFound += shown;
        some ||= shown > 0;
      }
      for (const el of part.querySelectorAll("[data-samples]")) el.hidden = !whole;
      part.hidden = !some;
      if (some) partsFound += 1;
    }
    for (const group of groups) group.hidden = !group.querySelector("[data-part]:not([hidden])");
    found.textContent = partsFound === 0 ? "Nothing found. Escape shows all again."
      : `Found ${count(partsFound, "section")}` + (rowsFound ? ` and, in ${partsFound === 1 ? "it" : "them"}, ${count(rowsFound, "line")}.` : ".");
  };

  const clear = () => {
    input.value = "";
    showAll();
  };

  input.addEventListener("input", search);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target === input) {
      event.preventDefault();
      clear();
    } else if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.matches("input, select, textarea")) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });

  // A link to what the search hides shows all again.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target?.closest("[hidden]")) return;
    clear();
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  page.parentElement.parentElement.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) reveal();
  });

  // Browsers print what is folded as one line.
  let folded = null;
  addEventListener("beforeprint", () => {
    folded = folds.filter((fold) => !fold.open);
    for (const fold of folded) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of folded ?? []) fold.open = false;
    folded = null;
  });

  form.hidden = false;
  input.value = new URLSearchParams(location.search).get("q") ?? input.value;
  if (input.value) search();
})();
