// @ts-check
import { escape, pageResponse } from "./page.js";

/** @import { TestMessage, TestServers } from "matrix-auth-elements/testing" */

/**
 * The page with the messages that the homeserver has sent. This is not part of Matrix.
 *
 * @param {TestServers} servers
 * @returns {(request: Request) => Response | undefined} undefined for any other request
 */
export function createOutbox(servers) {
  return ({ url }) => {
    if (url.slice(servers.homeserver.length) !== "/outbox") return undefined;
    const { messages } = servers;
    return pageResponse({
      title: "Outbox",
      text: messages.length === 0 ? "Nothing was sent yet." : "The last message is the first.",
      markup: [...messages].reverse().map(messageMarkup).join(""),
      refresh: 3,
    });
  };
}

/** @type {(message: TestMessage) => string} */
const messageMarkup = ({ address, code, link = "" }) => `<article>
    <h2>To ${escape(address)}</h2>
    <p>${
      code
        ? `Your code is ${escape(code)}`
        : `Follow the link to confirm your address: <a href="${escape(link)}" target="_blank" rel="noopener">confirm</a>`
    }</p>
  </article>`;
