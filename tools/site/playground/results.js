// The preview's results: its events, the element's state, and the homeserver's messages.
import { find, h } from "./dom.js";

/** @typedef {import("../../../dist/testing/index.js").TestMessage} TestMessage */

const log = find("#log", HTMLOListElement);
const messages = find("#messages", HTMLUListElement);
const state = find("#state", HTMLElement);
/** Those that are shown, as JSON. */
let shown = "";

/** @param {HTMLIFrameElement} frame */
export function showResults(frame) {
  window.addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== location.origin) return;
    if (data.event) logEvent(data.event);
    if (data.messages) showMessages(data.messages);
    if (data.state) state.textContent = `State: ${data.state}`;
  });
  find("#clear", HTMLButtonElement).addEventListener("click", () => log.replaceChildren());
}

export function clearResults() {
  log.replaceChildren();
  state.replaceChildren();
  showMessages([]);
}

/** @param {{ name: string, target: string, detail: string }} event */
function logEvent({ name, target, detail }) {
  log.append(
    h("li", {}, h("code", { class: "name" }, name), ` of <${target}> `, h("code", {}, detail)),
  );
  log.parentElement?.scrollTo({ top: log.scrollHeight });
}

/** @param {readonly TestMessage[]} list */
function showMessages(list) {
  // A link that has the focus keeps it.
  if (JSON.stringify(list) === shown) return;
  shown = JSON.stringify(list);
  messages.replaceChildren(
    ...list.map(({ address, code, link }) =>
      h(
        "li",
        {},
        `To ${address}: `,
        link
          ? h("a", { href: link, target: "_blank" }, "Confirm the address")
          : h("code", {}, code ?? ""),
      ),
    ),
  );
}
