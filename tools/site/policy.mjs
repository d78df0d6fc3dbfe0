// Adds a content security policy to the site's pages, because a static host sends no header.
import { createHash } from "node:crypto";

const INLINE_SCRIPT = /<script\b(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g;

/** @param {string} script */
const hash = (script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;

/** @param {string} html */
export function withPolicy(html) {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(([, script]) => hash(script));
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(" ")}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types vue",
  ].join("; ");
  return (
    html
      .replace(
        '<meta charset="utf-8">',
        `$&<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      )
      // VitePress's outline sets this style again when it opens.
      .replaceAll(' style="--vp-vh:0px;"', "")
  );
}
