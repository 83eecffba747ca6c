// The playground's form: a file can be dropped on it, its price is said before it is sent, and the upload shows how far it
// has come. Without this script the form is sent as any other.
(() => {
  "use strict";
  const form = document.querySelector("form[data-play]");
  if (!form) return;
  const file = form.elements.namedItem("file");
  const address = form.elements.namedItem("url");
  const seconds = form.elements.namedItem("seconds");
  const drop = form.querySelector("[data-drop]");
  const dropped = form.querySelector("[data-dropped]");
  const price = form.querySelector("[data-price]");
  const bar = form.querySelector("[data-upload]");
  const trouble = form.querySelector("[data-play-error]");
  const button = form.querySelector("button[type=submit]");
  const blocked = button.disabled;
  const listed = [...price.childNodes];
  const hint = dropped.textContent;
  const number = (name) => Number(form.dataset[name]);
  const credits = (n) => n.toLocaleString("en-US") + (n === 1 ? " credit" : " credits");
  const size = (n) => (n >= 1048576 ? (n / 1048576).toFixed(1) + " MB" : Math.max(1, Math.round(n / 1024)) + " KB");

  const complain = (text) => {
    trouble.hidden = !text;
    trouble.querySelector("p").textContent = text;
    if (text) trouble.focus();
  };
  const say = (text) => {
    const p = document.createElement("p");
    p.textContent = text;
    price.replaceChildren(p);
  };

  // lengthOf reads how long a clip lasts, in seconds; NaN where the browser cannot tell.
  const lengthOf = (chosen, tag) => new Promise((done) => {
    const player = document.createElement(tag);
    const link = URL.createObjectURL(chosen);
    const end = (length) => {
      URL.revokeObjectURL(link);
      done(length);
    };
    player.preload = "metadata";
    player.addEventListener("loadedmetadata", () => end(player.duration));
    player.addEventListener("error", () => end(NaN));
    player.src = link;
  });

  const clip = async (chosen, tag, name, word) => {
    const length = await lengthOf(chosen, tag);
    if (file.files[0] !== chosen) return;
    const most = number("maxSeconds");
    if (!Number.isFinite(length) || length <= 0) {
      say(`This ${word}: up to ${credits(number(name + "Held"))}, by its length. They are set aside, and what it costs less is given back.`);
      return;
    }
    if (length > most) {
      complain(`This ${word} lasts ${length.toFixed(1)} s; up to ${most} s can be checked.`);
      return;
    }
    // The engine may measure a little more than the browser: a promise that is too short would fail the check.
    const promise = Math.min(most, Math.ceil(length + 0.5));
    seconds.value = String(promise);
    const unit = number(name + "Seconds");
    const cost = number(name) * Math.ceil(length / unit);
    const held = number(name) * Math.ceil(promise / unit);
    say(`This ${word} of ${length.toFixed(1)} s: about ${credits(cost)}. ${credits(held)} are set aside until its check has ended.`);
  };

  const look = async () => {
    complain("");
    seconds.value = "";
    price.replaceChildren(...listed);
    const chosen = file.files[0];
    dropped.textContent = chosen ? `${chosen.name} (${size(chosen.size)})` : hint;
    if (!chosen) return;
    address.value = "";
    const kind = chosen.type.split("/")[0];
    const most = kind === "image" ? number("maxImage") : number("maxClip");
    if (chosen.size > most) complain(`This file has ${size(chosen.size)}; up to ${size(most)} can be checked.`);
    else if (kind === "image") say(`This image: ${credits(number("image"))}.`);
    else if (kind === "video") await clip(chosen, "video", "video", "video");
    else if (kind === "audio") await clip(chosen, "audio", "voice", "voice clip");
  };

  file.addEventListener("change", look);
  address.addEventListener("input", () => {
    if (!address.value || !file.value) return;
    file.value = "";
    look();
  });
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length > 1) return complain("Drop one file at a time.");
    if (event.dataTransfer.files.length === 0) return;
    file.files = event.dataTransfer.files;
    look();
  });

  const rest = () => {
    bar.hidden = true;
    button.disabled = blocked;
    button.removeAttribute("aria-busy");
  };
  // A page that the browser brings back must be usable again.
  addEventListener("pageshow", rest);

  form.addEventListener("submit", (event) => {
    if (!file.files[0]) return;
    event.preventDefault();
    complain("");
    const request = new XMLHttpRequest();
    const data = new FormData(form);
    request.open("POST", form.action);
    request.upload.addEventListener("progress", (step) => {
      bar.hidden = false;
      if (step.lengthComputable) bar.value = (100 * step.loaded) / step.total;
    });
    request.addEventListener("load", () => {
      const there = new URL(request.responseURL);
      if (there.pathname !== location.pathname) return location.assign(there);
      rest();
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      const said = page.querySelector("main [role=alert]:not([hidden]) p") || page.querySelector("main h1 + p");
      complain(said ? said.textContent.trim() : "The file was not taken. Try again in a moment.");
    });
    request.addEventListener("error", () => {
      rest();
      complain("The connection broke off. Nothing was charged; try again.");
    });
    button.disabled = true;
    button.setAttribute("aria-busy", "true");
    request.send(data);
  });
})();
