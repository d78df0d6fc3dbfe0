// The preview's results: its events, the element's state, and the homeserver's messages.
import type { TestMessage } from "../../../dist/testing/index.js";
import { find, h } from "./dom.js";

const log = find("#log");
const messages = find("#messages");
const state = find("#state");
/** The shown messages, as JSON. */
let shown = "";

export function showResults(frame: HTMLIFrameElement): void {
  window.addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== location.origin) return;
    if (data.event) logEvent(data.event);
    if (data.messages) showMessages(data.messages);
    if (data.state) state.textContent = `State: ${data.state}`;
  });
  find("#clear").addEventListener("click", () => log.replaceChildren());
}

export function clearResults(): void {
  log.replaceChildren();
  state.replaceChildren();
  showMessages([]);
}

function logEvent({
  name,
  target,
  detail,
}: {
  name: string;
  target: string;
  detail: string;
}): void {
  log.append(
    h("li", {}, h("code", { class: "name" }, name), ` of <${target}> `, h("code", {}, detail)),
  );
  log.parentElement?.scrollTo({ top: log.scrollHeight });
}

function showMessages(list: readonly TestMessage[]): void {
  // A focused link keeps the focus.
  if (JSON.stringify(list) === shown) return;
  shown = JSON.stringify(list);
  messages.replaceChildren(
    ...list.map(({ address, code = "", link }) => {
      const content = link
        ? h("a", { href: link, target: "_blank" }, "Confirm the address")
        : h("code", {}, code);
      return h("li", {}, `To ${address}: `, content);
    }),
  );
}
