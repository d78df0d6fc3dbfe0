export interface HtmlPage {
  readonly title: string;
  readonly text?: string | undefined;
  readonly links?: Readonly<Record<string, string>>;
  /** The label of a button that sends the page again with POST. */
  readonly button?: string;
  /** Whether there is a field for a registration token above the button. */
  readonly hasTokenField?: boolean;
  readonly error?: string | undefined;
  /** Whether to tell the opener that the stage is completed. */
  readonly done?: boolean;
}

export const AGREE = "agree";

/** @see https://spec.matrix.org/latest/client-server-api/#fallback */
const DONE_SCRIPT = `
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

/** Like Synapse's pages, it forbids framing and can send messages to its opener. */
export async function htmlResponse(page: HtmlPage, status = 200): Promise<Response> {
  const { title, text, links = {}, button, hasTokenField, error, done } = page;
  const anchors = Object.entries(links).map(
    ([label, url]) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`,
  );
  const tokenField = `<label>Token <input name="token" autocomplete="off" required /></label>`;
  const form = `<form method="post">
    ${hasTokenField ? tokenField : ""}
    <button name="${AGREE}" value="on">${escapeHtml(button ?? "")}</button>
  </form>`;
  const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <title>${escapeHtml(title)}</title>
  <style>${STYLE}</style>
  <h1>${escapeHtml(title)}</h1>
  ${error ? `<p class="error" role="alert">${escapeHtml(error)}</p>` : ""}
  ${text ? `<p>${escapeHtml(text)}</p>` : ""}
  ${anchors.join("\n  ")}
  ${button ? form : ""}
  ${done ? `<script>${DONE_SCRIPT}</script>` : ""}
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${await hashOf(STYLE)}`,
    ...(done ? [`script-src ${await hashOf(DONE_SCRIPT)}`] : []),
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

async function hashOf(source: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
