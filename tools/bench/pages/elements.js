// What runs in every page with elements: html.mjs puts it behind them. It notes what the driver waits for, and has the
// functions that the driver calls.

const login = document.querySelector("oidc-login");
if (login) noteLogin();
document.addEventListener("oidc-success", () => (window.doneAt = performance.now()));
document.addEventListener("oidc-error", ({ detail }) => console.error(detail.code));
document.querySelector("#delete")?.addEventListener("click", async () => {
  await document.querySelector("uia-dialog").authenticate(ask);
  window.isConfirmed = true;
});
addEventListener("load", () => (window.isReady = true));

/** Notes when `<oidc-login>` is ready, is clicked, and would leave the page. */
function noteLogin() {
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
}

/** A homeserver that requires a stage. */
async function refuse(stage) {
  const data = { session: "s", params: {}, flows: [{ stages: [stage] }] };
  throw Object.assign(new Error("401"), { httpStatus: 401, data });
}

/** A homeserver that requires a password, and takes any. */
async function ask(auth) {
  return auth?.type ? {} : refuse("m.login.password");
}

function make({ tag, attributes = {} }) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const nextTask = () => new Promise((done) => setTimeout(done));

/** Resolves when an element has rendered its first content. */
async function rendered(element) {
  await customElements.whenDefined(element.localName);
  // Lit's elements report it; some of ours show nothing at first.
  if (element.updateComplete) return element.updateComplete;
  const { shadowRoot } = element;
  const shows = () => [...shadowRoot.children].some(({ localName }) => localName !== "style");
  if (shows()) return undefined;
  return new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (!shows()) return;
      observer.disconnect();
      done();
    });
    observer.observe(shadowRoot, { childList: true });
  });
}

/** From "load the script" to the first render of an element that is on the page already. @returns ms */
window.defineAndRender = async (what, script) => {
  const element = make(what);
  document.body.append(element);
  const begin = performance.now();
  await import(script);
  await window.registered;
  await rendered(element);
  return performance.now() - begin;
};

/** From "put so many into the page" to the first render of the last. @returns ms */
window.render = async (what, count) => {
  const elements = Array.from({ length: count }, () => make(what));
  const begin = performance.now();
  document.body.append(...elements);
  await Promise.all(elements.map(rendered));
  const ms = performance.now() - begin;
  for (const element of elements) element.remove();
  return ms;
};

/** Puts so many into the page, and removes them, one after the other. */
window.mount = async (what, count) => {
  for (let nth = 0; nth < count; nth += 1) {
    const element = make(what);
    document.body.append(element);
    await (element.updateComplete ?? nextTask());
    element.remove();
    await nextTask();
  }
};

function addDialog() {
  const dialog = document.createElement("uia-dialog");
  dialog.userId = "@alice:localhost";
  document.body.append(dialog);
  return dialog;
}

/** Opens so many dialogs, and fills in their passwords. */
window.talk = async (count) => {
  for (let nth = 0; nth < count; nth += 1) {
    const dialog = addDialog();
    dialog.addEventListener("uia-state-updated", async () => {
      // The dialog takes nothing before the homeserver's answer is dealt with.
      await nextTask();
      await dialog.updateComplete;
      const field = dialog.querySelector("input[type=password]");
      field.value = "secret";
      field.form.requestSubmit();
    });
    await dialog.authenticate(ask);
    await dialog.updateComplete;
    dialog.remove();
    await nextTask();
  }
};

/** Opens a dialog that polls until an email is confirmed, which never happens. */
window.beginToPoll = () => {
  const dialog = addDialog();
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
