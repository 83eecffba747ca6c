// Buttons that show the password beside them. Without a script they stay hidden.
(() => {
  "use strict";

  for (const button of document.querySelectorAll("[data-reveal]")) {
    const input = document.getElementById(button.dataset.reveal);
    if (!input) continue;

    const show = (on) => {
      input.type = on ? "text" : "password";
      button.textContent = on ? "Hide" : "Show";
      button.setAttribute("aria-pressed", String(on));
    };
    button.addEventListener("click", () => show(input.type === "password"));
    // What is sent is a password again, so that the browser does not remember it as text.
    input.form?.addEventListener("submit", () => show(false));
    button.hidden = false;
  }
})();
