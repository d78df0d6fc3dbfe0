import { preflight } from "./exchange.js";

/** A page for people, with links, and with a button that sends it again by POST. */
export interface Page {
  readonly title: string;
  readonly links?: Readonly<Record<string, string>>;
  readonly button?: string;
  /** Whether it tells the page that opened it that the stage is completed. */
  readonly done?: boolean;
}

// The specification's: https://spec.matrix.org/latest/client-server-api/#fallback
const DONE = `<script>
  if (window.onAuthDone) window.onAuthDone();
  else if (window.opener && window.opener.postMessage) window.opener.postMessage("authDone", "*");
</script>`;

export function pageResponse({ title, links = {}, button, done }: Page, status = 200): Response {
  const anchors = Object.entries(links).map(
    ([text, url]) => `<p><a href="${escape(url)}">${escape(text)}</a></p>`,
  );
  const form = button ? `<form method="post"><button>${escape(button)}</button></form>` : "";
  const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <title>${escape(title)}</title>
  <h1>${escape(title)}</h1>
  ${anchors.join("\n  ")}${form}${done ? DONE : ""}
</html>
`;
  const { headers } = preflight();
  headers.set("Content-Type", "text/html; charset=utf-8");
  return new Response(html, { status, headers });
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
