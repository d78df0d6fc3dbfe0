// The first script of the page. It records violations of the page's policy, from the event and from the
// observer, and unhandled rejections.
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
