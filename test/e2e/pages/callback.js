window.events = [];
for (const type of ["oidc-success", "oidc-cancel", "oidc-error"]) {
  document.addEventListener(type, ({ detail }) => {
    window.events.push({ type, code: detail.code, reason: detail.reason });
    if (type === "oidc-success") window.result = detail;
  });
}
