window.events = [];
for (const type of ["oidc-success", "oidc-cancel", "oidc-error"]) {
  document.addEventListener(type, ({ detail }) => {
    window.events.push({ type, code: detail.code, reason: detail.reason });
    if (type === "oidc-success") window.result = detail;
    if (type === "oidc-success" && sessionStorage.next) leaveFor(sessionStorage.next);
  });
}

/** An app that continues on its own: no further response reaches this page. */
function leaveFor(url) {
  globalThis.fetch = () => new Promise(() => {});
  location.assign(url);
}
