window.heard = [];
const login = document.querySelector("oidc-login");
for (const [name, value] of new URLSearchParams(location.search)) login.setAttribute(name, value);
for (const type of [
  "oidc-login-start",
  "oidc-redirect",
  "oidc-success",
  "oidc-cancel",
  "oidc-error",
]) {
  login.addEventListener(type, ({ detail: { code, reason } }) => {
    window.heard.push({ type, code, reason });
    // In a frame on another site nothing outside could look.
    if (parent !== window) parent.postMessage(code ?? type, "*");
  });
}
