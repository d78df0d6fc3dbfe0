/** A page for people. */
export interface Page {
  readonly title: string;
  readonly text?: string;
  readonly links?: Readonly<Record<string, string>>;
  /** Has a button that sends the page again by POST. */
  readonly button?: string;
  /** Text fields above the button: their labels, by name. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What is wrong with the last input. */
  readonly error?: string | undefined;
  /** Whether it tells the page that opened it that the stage is completed. */
  readonly done?: boolean;
}

/** What the button itself sends. */
export const AGREE = "agree";

// The specification's: https://spec.matrix.org/latest/client-server-api/#fallback
const DONE = `
  if (window.onAuthDone) window.onAuthDone();
  else if (window.opener && window.opener.postMessage) window.opener.postMessage("authDone", "*");
`;
const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-inline-size: 26rem; margin: 2rem auto; padding-inline: 1rem; }
  input, button { font: inherit; padding: .5em .8em; }
  label { display: block; margin-block: .75rem; }
  .error { color: light-dark(#a3120a, #ffb3ab); }
`;

/** A page as Synapse sends its own: not to be framed, and speaking to its opener. */
export async function pageResponse(page: Page, status = 200): Promise<Response> {
  const { title, text, links = {}, button, fields = {}, error, done } = page;
  const anchors = Object.entries(links).map(
    ([label, url]) => `<p><a href="${escape(url)}">${escape(label)}</a></p>`,
  );
  const inputs = Object.entries(fields).map(
    ([name, label]) =>
      `<label>${escape(label)} <input name="${escape(name)}" autocomplete="off" required /></label>`,
  );
  const form = `<form method="post">
    ${inputs.join("\n    ")}
    <button name="${AGREE}" value="on">${escape(button ?? "")}</button>
  </form>`;
  const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <title>${escape(title)}</title>
  <style>${STYLE}</style>
  <h1>${escape(title)}</h1>
  ${error ? `<p class="error" role="alert">${escape(error)}</p>` : ""}
  ${text ? `<p>${escape(text)}</p>` : ""}
  ${anchors.join("\n  ")}
  ${button ? form : ""}
  ${done ? `<script>${DONE}</script>` : ""}
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${await hashOf(STYLE)}`,
    ...(done ? [`script-src ${await hashOf(DONE)}`] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return new Response(html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy.join("; "),
      "X-Frame-Options": "DENY",
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    },
  });
}

/** The source of an inline script or style, for a policy. */
async function hashOf(source: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
