const EVENTS = [
  ...["homeserver", "start", "redirect", "success", "cancel", "error"].map(
    (name) => `matrix-login-${name}`,
  ),
  ...["change", "link", "sign-out", "error"].map((name) => `matrix-account-${name}`),
  ...["oidc-login-start", "oidc-redirect", "oidc-success", "oidc-cancel", "oidc-error"],
  ...["uia-state-updated", "uia-busy-changed", "uia-success", "uia-cancel", "uia-error"],
];

/** Logs events and states of elements, in order and without tokens. */
export function logEvents(elements, log) {
  const write = (text) => {
    const line = document.createElement("li");
    line.textContent = text;
    log.append(line);
    log.scrollTop = log.scrollHeight;
  };
  for (const [number, element] of [...elements].entries()) {
    const name = `${element.localName} ${number + 1}`;
    for (const type of EVENTS) {
      element.addEventListener(type, ({ detail }) => {
        const more =
          detail.code ??
          detail.action ??
          detail.reason ??
          detail.method ??
          detail.nextStage ??
          detail.busy;
        write([name, type, more].filter((part) => part !== undefined).join(" · "));
      });
    }
    let last;
    const watch = () => {
      if (element.state !== last) write(`${name} is ${(last = element.state)}`);
      requestAnimationFrame(watch);
    };
    watch();
  }
}
