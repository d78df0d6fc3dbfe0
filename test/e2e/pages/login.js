window.heard = [];
const login = document.querySelector("oidc-login");
for (const [name, value] of new URLSearchParams(location.search)) login.setAttribute(name, value);
for (const type of ["oidc-login-start", "oidc-redirect", "oidc-cancel", "oidc-error"]) {
  login.addEventListener(type, ({ detail }) => window.heard.push({ type, code: detail.code }));
}
