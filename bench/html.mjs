// The pages with elements that are driven from outside.

/** @typedef {Awaited<ReturnType<typeof import("./servers.mjs").startServers>>} Servers */

const HEAD = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,">`;
const SCRIPT = `<script type="module" src="/cdn/matrix-auth-elements.js"></script>`;

/** Notes when an element has rendered what it shows first. */
const NOTE = `
  const noteRendered = async (element) => {
    await customElements.whenDefined(element.localName);
    await element.updateComplete;
    performance.mark("rendered");
  };`;

/** Asks for a password, and takes any. */
const ASK = `
  const ask = (auth) => auth?.type
    ? Promise.resolve({})
    : Promise.reject(Object.assign(new Error("401"), {
        httpStatus: 401,
        data: { session: "s", params: {}, flows: [{ stages: ["m.login.password"] }] },
      }));`;

/**
 * @param {Servers} servers
 * @returns {Record<string, string>} By name, for the site.
 */
export function pagesOf({ homeserver, clientId }) {
  /** @param {string} attributes */
  const login = (attributes) => `${HEAD}${SCRIPT}
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
  const dialog = `${HEAD}${SCRIPT}
<button>Delete</button>
<uia-dialog user-id="@alice:localhost"></uia-dialog>
<script>${NOTE}${ASK}
  const dialog = document.querySelector("uia-dialog");
  dialog.addEventListener("uia-state-updated", () => (window.isOpen = true));
  noteRendered(dialog).then(() => dialog.authenticate(ask));
</script>`;
  return {
    elsewhere: HEAD,
    login: login(""),
    "login-known": login(`client-id="${clientId}"`),
    dialog,
  };
}
