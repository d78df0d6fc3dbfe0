// Before anything else: what the browser has against the page, by its policy, in both of its ways, and rejections
// that nobody handles.
window.violations = [];
addEventListener("unhandledrejection", ({ reason }) =>
  window.violations.push(`rejection: ${reason}`),
);
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) =>
  window.violations.push(`event: ${effectiveDirective} ${blockedURI} ${sample}`),
);
if (typeof ReportingObserver === "function") {
  new ReportingObserver(
    (reports) => {
      for (const { body } of reports)
        window.violations.push(`report: ${body.effectiveDirective} ${body.blockedURL}`);
    },
    { types: ["csp-violation"], buffered: true },
  ).observe();
}
