// The pages with elements that are driven from outside.

import { ATTRIBUTES } from "./render.mjs";

/** @typedef {Awaited<ReturnType<typeof import("./servers.mjs").startServers>>} Servers */

const HEAD = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,">`;
/** @param {string} file */
const scriptOf = (file) => `<script type="module" src="/cdn/${file}.js"></script>`;
const SCRIPT = scriptOf("matrix-auth-elements");

/** Notes when an element has rendered its first content. */
const NOTE = `
  const noteRendered = async (element) => {
    await customElements.whenDefined(element.localName);
    await element.updateComplete;
    performance.mark("rendered");
  };`;

/** Asks for a password, and takes any. */
const ASK = `
  const refuse = async (stage) => {
    const data = { session: "s", params: {}, flows: [{ stages: [stage] }] };
    throw Object.assign(new Error("401"), { httpStatus: 401, data });
  };
  const ask = async (auth) => (auth?.type ? {} : refuse("m.login.password"));`;

/** @param {string} tag */
const attributesOf = (tag) =>
  Object.entries(ATTRIBUTES[tag] ?? {})
    .map(([name, value]) => `${name}="${value}"`)
    .join(" ");

/**
 * @param {Servers} servers
 * @returns {Record<string, string>} By name, for the site.
 */
export function pagesOf({ homeserver, clientId }) {
  /** @param {string} attributes @param {string} [script] */
  const login = (attributes, script = SCRIPT) => `${HEAD}${script}
<oidc-login homeserver="${homeserver.host}" ${attributes}></oidc-login>
<oidc-callback></oidc-callback>
<script>${NOTE}
  const login = document.querySelector("oidc-login");
  noteRendered(login);
  const watch = () => {
    if (login.state === "ready") window.readyAt = performance.now();
    else setTimeout(watch, 1);
  };
  watch();
  login.addEventListener("click", ({ timeStamp }) => (window.clickedAt = timeStamp));
  login.addEventListener("oidc-redirect", (event) => {
    event.preventDefault();
    window.leftAt = performance.now();
    window.leftFor = event.detail.url;
  });
  document.addEventListener("oidc-success", () => (window.doneAt = performance.now()));
  document.addEventListener("oidc-error", ({ detail }) => console.error(detail.code));
</script>`;
  const callback = (script = SCRIPT) => `${HEAD}${script}
<oidc-callback></oidc-callback>
<script>${NOTE}
  noteRendered(document.querySelector("oidc-callback"));
  document.addEventListener("oidc-success", () => (window.doneAt = performance.now()));
</script>`;
  const matrixLogin = (script = SCRIPT) => `${HEAD}${script}
<matrix-login homeserver="${homeserver.host}" methods="password"></matrix-login>
<script>${NOTE}
  noteRendered(document.querySelector("matrix-login"));
</script>`;
  const visit = `${login("")}
<oidc-callback></oidc-callback>
<button id="delete">Delete</button>
<uia-dialog user-id="@alice:localhost"></uia-dialog>
<script>${ASK}
  document.querySelector("#delete").onclick = async () => {
    await document.querySelector("uia-dialog").authenticate(ask);
    window.isConfirmed = true;
  };
</script>`;
  const dialog = (script = SCRIPT) => `${HEAD}${script}
<button>Delete</button>
<uia-dialog user-id="@alice:localhost"></uia-dialog>
<script>${NOTE}${ASK}
  const dialog = document.querySelector("uia-dialog");
  dialog.addEventListener("uia-state-updated", () => (window.isOpen = true));
  noteRendered(dialog).then(() => dialog.authenticate(ask));
</script>`;
  /** @param {string} script */
  const heap = (script) => `${HEAD}${script}
<body><script>${ASK}
  const make = (tag) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(ATTRIBUTES[tag] ?? {})) {
      element.setAttribute(name, value);
    }
    return element;
  };
  const ATTRIBUTES = ${JSON.stringify(ATTRIBUTES)};
  window.mount = async (tag, count) => {
    for (let nth = 0; nth < count; nth += 1) {
      const element = make(tag);
      document.body.append(element);
      await (element.updateComplete ?? new Promise((done) => setTimeout(done)));
      element.remove();
      await new Promise((done) => setTimeout(done));
    }
  };
  const dialogFor = () => {
    const dialog = make("uia-dialog");
    dialog.userId = "@alice:localhost";
    document.body.append(dialog);
    return dialog;
  };
  window.talk = async (count) => {
    for (let nth = 0; nth < count; nth += 1) {
      const dialog = dialogFor();
      dialog.addEventListener("uia-state-updated", async () => {
        // The dialog takes nothing before the homeserver's answer is dealt with.
        await new Promise((done) => setTimeout(done));
        await dialog.updateComplete;
        const field = dialog.querySelector("input[type=password]");
        field.value = "secret";
        field.form.requestSubmit();
      });
      await dialog.authenticate(ask);
      await dialog.updateComplete;
      dialog.remove();
      await new Promise((done) => setTimeout(done));
    }
  };
  window.beginToPoll = () => {
    const dialog = dialogFor();
    dialog.inputs = { emailAddress: "alice@example.org" };
    dialog.requestEmailToken = () => Promise.resolve({ sid: "sid" });
    window.polls = 0;
    const asked = dialog.authenticate((auth) => {
      if (auth) window.polls += 1;
      return refuse("m.login.email.identity");
    });
    asked.catch(() => {});
    return new Promise((done) => dialog.addEventListener("uia-state-updated", () => done()));
  };
  addEventListener("load", () => (window.isReady = true));
</script>`;
  const render = `${HEAD}<script type="module" src="/script/first-render.js"></script><body>`;
  return {
    heap: heap(SCRIPT),
    "heap-hanko": heap(`<script type="module" src="/script-of/hanko-elements"></script>`),
    "heap-descope": heap(`<script type="module" src="/script-of/descope"></script>`),
    "vitals-hanko": `${HEAD}<script type="module" src="/script-of/hanko-elements"></script>
<hanko-auth></hanko-auth>`,
    "vitals-descope": `${HEAD}<script type="module" src="/script-of/descope"></script>
<descope-wc ${attributesOf("descope-wc")}></descope-wc>`,
    render,
    elsewhere: HEAD,
    login: login(""),
    "login-elsewhere": login(`redirect-uri="/html/callback"`),
    "login-own": login(`redirect-uri="/html/callback-own"`, scriptOf("elements/oidc-login")),
    callback: callback(),
    "callback-own": callback(scriptOf("elements/oidc-callback")),
    "matrix-login": matrixLogin(),
    "matrix-login-own": matrixLogin(scriptOf("elements/matrix-login")),
    "login-known": login(`client-id="${clientId}"`),
    dialog: dialog(),
    "dialog-own": dialog(scriptOf("elements/uia-dialog")),
    visit,
  };
}
