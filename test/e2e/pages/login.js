// The query gives the button its attributes: ?homeserver=…&prompt=create
window.events = [];
const login = document.querySelector("oidc-login");
/** Reports to the parent page, because tests cannot read a frame of another site. */
const report = (text) => parent !== window && parent.postMessage(text, "*");
for (const [name, value] of new URLSearchParams(location.search)) login.setAttribute(name, value);
for (const type of [
  "oidc-login-start",
  "oidc-redirect",
  "oidc-success",
  "oidc-cancel",
  "oidc-error",
]) {
  login.addEventListener(type, ({ detail: { code, reason } }) => {
    window.events.push({ type, code, reason });
    report(code ?? type);
  });
}
window.addEventListener("load", () => report("ready"));
for (const type of ["focus", "focusin"]) window.addEventListener(type, () => report(type));
