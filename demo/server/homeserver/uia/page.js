// @ts-check
import { createHash } from "node:crypto";

/**
 * @typedef {object} Page
 * @property {string} title
 * @property {string} [text]
 * @property {string} [fields] markup inside the form
 * @property {string} [form] the label of the button of a form
 * @property {string} [action] where the form goes
 * @property {boolean} [done] whether it says to its opener that it is finished
 * @property {string} [error]
 * @property {string} [messages] markup below the rest
 * @property {number} [refresh] loads itself again after so many seconds
 */

// The specification's own: https://spec.matrix.org/v1.19/client-server-api/#fallback
const DONE = `
  if (window.onAuthDone) window.onAuthDone();
  else if (window.opener && window.opener.postMessage) window.opener.postMessage("authDone", "*");
`;
const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-inline-size: 26rem; margin: 2rem auto; padding-inline: 1rem; }
  input:not([type=checkbox]), button { font: inherit; padding: .5em .8em; }
  label { display: block; margin-block: .75rem; }
  .error { color: light-dark(#a3120a, #ffb3ab); }
`;

/** @type {(source: string) => string} */
const hash = (source) => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

/**
 * Sends a page as Synapse sends its own: not to be framed, and speaking to its opener.
 *
 * @param {import("koa").Context} ctx
 * @param {import("../index.js").Homeserver} homeserver
 * @param {Page} page
 */
export function sendPage(ctx, { serverName, uia }, page) {
  const { title, text, fields, form, action, done, error, messages, refresh } = page;
  const { coop, framing, silent } = uia;
  const speaks = done === true && !silent;
  ctx.type = "html";
  ctx.set({
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src ${hash(STYLE)}`,
      speaks ? `script-src ${hash(DONE)}` : "",
      "form-action 'self'",
      framing ? "" : "frame-ancestors 'none'",
    ]
      .filter(Boolean)
      .join("; "),
    ...(!framing && { "X-Frame-Options": "DENY" }),
    ...(coop && { "Cross-Origin-Opener-Policy": coop }),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  ctx.body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    ${refresh ? `<meta http-equiv="refresh" content="${refresh}" />` : ""}
    <title>${escape(title)} · ${escape(serverName)}</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <h1>${escape(title)}</h1>
    ${error ? `<p class="error" role="alert">${escape(error)}</p>` : ""}
    ${text ? `<p>${escape(text)}</p>` : ""}
    ${
      form
        ? `<form method="post" action="${escape(action ?? "")}">${fields ?? ""}<button>${escape(form)}</button></form>`
        : ""
    }
    ${messages ?? ""}
    ${speaks ? `<script>${DONE}</script>` : ""}
  </body>
</html>
`;
}

/** @type {(text: string) => string} */
export const escape = (text) =>
  text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
