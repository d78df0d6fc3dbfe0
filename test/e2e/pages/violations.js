// Before anything else: what the browser has against the page, by its policy. By both of its ways.
window.violations = [];
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
