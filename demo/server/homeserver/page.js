// @ts-check
import { createHash } from "node:crypto";

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-inline-size: 26rem; margin: 2rem auto; padding-inline: 1rem; }
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/**
 * @param {object} page
 * @param {string} page.title
 * @param {string} page.text
 * @param {string} [page.markup] below the text
 * @param {number} [page.refresh] the seconds until the page reloads
 * @param {number} [page.status]
 */
export function pageResponse({ title, text, markup = "", refresh, status = 200 }) {
  const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  ${refresh === undefined ? "" : `<meta http-equiv="refresh" content="${refresh}" />`}
  <title>${escape(title)}</title>
  <style>${STYLE}</style>
  <h1>${escape(title)}</h1>
  <p>${escape(text)}</p>
  ${markup}
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    },
  });
}

/** @param {string} text */
export const escape = (text) =>
  text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
