// @ts-check
import { escape, pageResponse } from "./page.js";

/** @import { TestMessage, TestServers } from "matrix-auth-elements/testing" */

/** The path of the homeserver's pages for stages. */
const FALLBACK = "/fallback/web";
/** Without its script, a page reports nothing. */
const WITHOUT_SCRIPT =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * The settings for the demo's playground, and the sent messages. This is not part of Matrix.
 *
 * @param {TestServers} servers
 * @param {import("../faults.js").Faults} faults
 * @returns {(request: Request) => Promise<Response | undefined>} undefined for any other request
 */
export function createControls(servers, faults) {
  const { homeserver, uia } = servers;
  const pages = { silent: false, coop: false };

  /** @type {Record<string, (request: Request) => Response | Promise<Response>>} */
  const routes = {
    "GET /_demo/uia": () => json({ ...uia, ...pages }),
    "PUT /_demo/uia": async (request) => {
      const { silent = pages.silent, coop = pages.coop, ...settings } = await request.json();
      Object.assign(uia, settings);
      Object.assign(pages, { silent, coop });
      faults[FALLBACK] = {
        headers: {
          ...(silent && { "Content-Security-Policy": WITHOUT_SCRIPT }),
          ...(coop && { "Cross-Origin-Opener-Policy": "same-origin" }),
        },
      };
      return json({ ...uia, ...pages });
    },
    "POST /_demo/expire": () => {
      servers.expireUia();
      return json({});
    },
    "GET /outbox": () =>
      pageResponse({
        title: "Outbox",
        text:
          servers.messages.length === 0
            ? "Nothing was sent yet."
            : "The last message is the first.",
        markup: [...servers.messages].reverse().map(messageMarkup).join(""),
        refresh: 3,
      }),
  };
  return async (request) => {
    const path = request.url.slice(homeserver.length).split("?", 1)[0];
    return routes[`${request.method} ${path}`]?.(request);
  };
}

/** @param {object} body */
const json = (body) => Response.json(body, { headers: { "Access-Control-Allow-Origin": "*" } });

/** @type {(message: TestMessage) => string} */
const messageMarkup = ({ address, code, link = "" }) => `<article>
    <h2>To ${escape(address)}</h2>
    <p>${
      code
        ? `Your code is ${escape(code)}`
        : `Follow the link to confirm your address: <a href="${escape(link)}" target="_blank" rel="noopener">confirm</a>`
    }</p>
  </article>`;
