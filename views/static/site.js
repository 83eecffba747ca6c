// What makes the pages nicer where scripts run. Every page works without it.
"use strict";

// Times in the reader's own zone. The title keeps UTC.
const clock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
});

function localTimes(root) {
  for (const el of root.querySelectorAll("time[datetime*='T']")) {
    const at = new Date(el.dateTime);
    if (!Number.isNaN(at.getTime())) el.textContent = clock.format(at);
  }
}

// What is said to screen readers beside what is seen.
const voice = document.createElement("p");
voice.className = "hidden";
voice.setAttribute("role", "status");

function say(text) {
  if (!voice.isConnected) document.body.append(voice);
  voice.textContent = text;
}

// Copy buttons. Browsers offer the clipboard over TLS and on this machine alone; elsewhere the old way is tried.
async function copyText(el) {
  const text = "value" in el ? el.value : el.textContent;
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const range = document.createRange();
  range.selectNodeContents(el);
  if ("select" in el) el.select();
  else getSelection().setBaseAndExtent(el, 0, el, el.childNodes.length);
  if (!document.execCommand("copy")) throw new Error("not copied");
}

function showCopyButtons(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  const source = button && document.getElementById(button.dataset.copy);
  if (!source) return;
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  const done = await copyText(source).then(() => "Copied", () => "Select and copy");
  button.textContent = done;
  say(done);
  setTimeout(() => { button.textContent = label; }, 2000);
});

// A value that is meant to be copied is chosen whole.
document.addEventListener("focusin", (event) => {
  if (event.target.matches("[data-select]")) event.target.select();
});

// A form that acts is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-once]") || event.defaultPrevented) return;
  // Only after the browser has read the form: a disabled button sends no value.
  setTimeout(() => {
    for (const button of form.querySelectorAll("button:not([type=button])")) {
      button.disabled = true;
      button.setAttribute("aria-busy", "true");
    }
  });
});

addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const button of document.querySelectorAll("[data-once] button[aria-busy]")) {
    button.disabled = false;
    button.removeAttribute("aria-busy");
  }
});

// A page that shows something once asks before it is left, until a form of it has been sent or [data-left] pressed.
function guardLeaving() {
  if (!document.querySelector("[data-leave]")) return;
  const ask = (event) => event.preventDefault();
  const release = () => removeEventListener("beforeunload", ask);
  addEventListener("beforeunload", ask);
  document.addEventListener("submit", release);
  document.addEventListener("click", (event) => { if (event.target.closest("[data-left]")) release(); });
}

// Pages of work under way renew their [data-live] parts until the server sends one without [data-refresh].
const beat = 2000;
const slowest = 30000;

async function renew() {
  const answer = await fetch(location.href, { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(10000) });
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = document.querySelectorAll("[data-live]");
  // Asked before the nodes move over.
  let more = page.querySelector("[data-refresh]") !== null;
  page.querySelectorAll("[data-live]").forEach((fresh, i) => {
    localTimes(fresh);
    showCopyButtons(fresh);
    const old = now[i];
    if (!old || old.innerHTML === fresh.innerHTML) return;
    // Nothing is taken from under the reader's hand.
    if (old !== document.activeElement && old.contains(document.activeElement)) more = true;
    else old.replaceChildren(...fresh.childNodes);
  });
  return more;
}

function follow() {
  if (!document.querySelector("[data-refresh]")) return;
  let wait = beat;
  const again = () => setTimeout(turn, wait);
  const turn = async () => {
    if (document.hidden) {
      document.addEventListener("visibilitychange", turn, { once: true });
      return;
    }
    try {
      if (!await renew()) return;
      wait = beat;
    } catch {
      wait = Math.min(2 * wait, slowest);
    }
    again();
  };
  again();
}

localTimes(document);
showCopyButtons(document);
guardLeaving();
follow();
document.querySelector("[data-focus]")?.focus();
