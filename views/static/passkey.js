// Passkeys: the browser makes and uses them for scripts alone. A form with data-passkey asks the server for a challenge
// (data-begin), hands it to the browser, and sends the browser's answer as any form is sent.
(() => {
  "use strict";

  if (!window.PublicKeyCredential || !navigator.credentials) return;

  const encode = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  const decode = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

  // The options come as JSON (WebAuthn level 3, section 5.1.9); the browser's call takes bytes.
  const opened = (json) => {
    const options = { ...(json.publicKey ?? json) };
    const ids = (list) => (list ?? []).map((one) => ({ ...one, id: decode(one.id) }));
    options.challenge = decode(options.challenge);
    if (options.user) options.user = { ...options.user, id: decode(options.user.id) };
    if (options.excludeCredentials) options.excludeCredentials = ids(options.excludeCredentials);
    if (options.allowCredentials) options.allowCredentials = ids(options.allowCredentials);
    return options;
  };

  // The answer as JSON (section 5.1, toJSON), which older browsers cannot write themselves.
  const closed = (credential) => {
    const { response } = credential;
    const json = {
      id: credential.id,
      rawId: encode(credential.rawId),
      type: credential.type,
      authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
      clientExtensionResults: credential.getClientExtensionResults(),
      response: { clientDataJSON: encode(response.clientDataJSON) },
    };
    for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (response[name]) json.response[name] = encode(response[name]);
    }
    if (response.getTransports) json.response.transports = response.getTransports();
    return JSON.stringify(json);
  };

  // What a person reads when it did not work.
  class Refusal extends Error {}

  const begin = async (url, body, signal) => {
    const answer = await fetch(url, { method: "POST", body, signal, redirect: "error" });
    const said = answer.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : {};
    if (!answer.ok) throw new Refusal(said.error ?? "Something went wrong on our side. Load this page again, and try once more.");
    return said;
  };

  const inWords = (error, creating) => {
    if (error instanceof Refusal) return error.message;
    switch (error.name) {
      case "InvalidStateError":
        return creating ? "This device holds a passkey of yours already." : "This passkey cannot be used here.";
      case "NotAllowedError":
        return creating ? "No passkey was made: the browser's question was closed, or took too long." : "No passkey was used: the browser's question was closed, or took too long.";
      case "SecurityError":
        return "Passkeys do not work under this address.";
      default:
        return "The passkey could not be used. Load this page again, and try once more.";
    }
  };

  // The conditional request that waits in the e-mail field; one request at a time is all that a browser takes.
  let waiting = null;
  const stopWaiting = () => {
    waiting?.abort();
    waiting = null;
  };

  const send = (form, credential) => {
    form.elements.response.value = closed(credential);
    for (const password of form.querySelectorAll("input[type=password]")) password.disabled = true;
    form.submit();
  };

  const ask = async (form, box, creating) => {
    const wrong = form.querySelector("[data-passkey-error]");
    const button = form.querySelector("button[type=submit]");
    wrong.hidden = true;
    wrong.textContent = "";
    button.disabled = true;
    stopWaiting();
    try {
      const options = await begin(box.dataset.begin, new URLSearchParams(new FormData(form)));
      const publicKey = opened(options);
      const credential = creating ? await navigator.credentials.create({ publicKey }) : await navigator.credentials.get({ publicKey });
      send(form, credential);
    } catch (error) {
      wrong.hidden = false;
      wrong.textContent = inWords(error, creating);
      button.disabled = false;
      if (error instanceof Refusal) form.querySelector("input[type=password]")?.select();
    }
  };

  // A challenge holds for five minutes, so a page left open asks anew before.
  const renewAfter = 4 * 60 * 1000;

  const wait = async (form, box) => {
    stopWaiting();
    const mine = new AbortController();
    waiting = mine;
    const renew = setTimeout(() => wait(form, box), renewAfter);
    try {
      const options = await begin(box.dataset.begin, new URLSearchParams(), mine.signal);
      const credential = await navigator.credentials.get({ publicKey: opened(options), mediation: "conditional", signal: mine.signal });
      send(form, credential);
    } catch {
      // Nobody has asked for it, so nobody is told. The button is there.
    } finally {
      if (waiting !== mine) clearTimeout(renew);
    }
  };

  for (const box of document.querySelectorAll("[data-passkey]")) {
    const form = box.matches("form") ? box : box.querySelector("form");
    const creating = box.dataset.passkey === "create";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask(form, box, creating);
    });
    box.hidden = false;
    if (box.dataset.mode === "conditional") {
      PublicKeyCredential.isConditionalMediationAvailable?.().then((can) => {
        if (can) wait(form, box);
      });
    }
  }
  for (const hint of document.querySelectorAll("[data-passkey-missing]")) hint.hidden = true;
})();
