// What the elements tell, on the page of the button and on that of the answer.
const login = document.querySelector("oidc-login");
for (const [name, value] of new URLSearchParams(location.search)) login?.setAttribute(name, value);

window.events = [];
for (const type of ["oidc-success", "oidc-cancel", "oidc-error"]) {
  document.addEventListener(type, ({ detail }) => {
    window.events.push({ type, code: detail.code, reason: detail.reason });
    if (type === "oidc-success") window.result = detail;
  });
}
