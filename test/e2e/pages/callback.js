window.events = [];
for (const type of ["oidc-success", "oidc-cancel", "oidc-error"]) {
  document.addEventListener(type, ({ detail }) => {
    window.events.push({ type, code: detail.code, reason: detail.reason });
    if (type === "oidc-success") window.result = detail;
    if (type === "oidc-success" && sessionStorage.next) leaveFor(sessionStorage.next);
  });
}

/** Navigates like an app that continues on another page, and blocks this page's later responses. */
function leaveFor(url) {
  globalThis.fetch = () => new Promise(() => {});
  location.assign(url);
}
