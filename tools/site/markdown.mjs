// Renders Markdown like GitHub if VitePress does not.
import { existsSync } from "node:fs";
import { join } from "node:path/posix";
import { navigation, pagesOf } from "../docs/nav.mjs";
import { ROOT, repository, shortTitle } from "./source.mjs";

const PAGE = /^(docs\/([\w-]+\/)+)?[\w-]+\.md$/;

/**
 * GitHub's anchor for a heading. markdown-it-anchor adds "-1" to a second one of the same name.
 *
 * @param {string} heading
 */
export const slug = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

export function asOnGitHub(md) {
  // Vue would read it as an expression.
  const { text } = md.renderer.rules;
  md.renderer.rules.text = (...args) => text(...args).replaceAll("{{", "&#123;&#123;");

  for (const rule of ["html_block", "html_inline"]) {
    const html = md.renderer.rules[rule];
    md.renderer.rules[rule] = (...args) => pictures(html(...args));
  }

  md.core.ruler.push("live", ({ tokens, env, Token }) => {
    const [, element] = /^docs\/reference\/elements\/(.+)\.md$/.exec(env.relativePath) ?? [];
    const isStart = env.relativePath === "index.md";
    if (!isStart && element === undefined) return;
    // In the repository, a heading with the tag would need a backslash.
    if (element !== undefined) tokens[1].children[0].content = `<${element}>`;
    const added = new Token("html_block", "", 0);
    added.content = isStart ? startLinks() : live(element, "../../../");
    const first = tokens.findIndex(({ type }) => type === "paragraph_close");
    // The live element stands in for the picture of the README.
    const replaced = isStart && tokens[first + 1].content.startsWith("<picture>") ? 1 : 0;
    tokens.splice(first + 1, replaced, added);
  });

  md.core.ruler.push("repository", ({ tokens, env }) => {
    for (const token of tokens) {
      if (token.children) linkFiles(token.children, env.relativePath);
      alignByClass(token);
    }
  });
}

const ASKS_FOR_PASSWORD = ["matrix-login", "matrix-account", "uia-dialog"];

/**
 * An element in the playground's page.
 *
 * @param {string} element
 * @param {string} root The path to the site's root.
 */
const live = (
  element,
  root,
) => `<iframe class="live ${element}" title="&lt;${element}&gt;, live" loading="lazy"
    src="${root}playground/preview.html?start&amp;element=${element}"></iframe>
  <p class="live-link"><a href="${root}playground/#element=${element}" target="_self">Change it in the playground</a>.
  Its homeserver exists only in this page, so its address is this site's.${
    ASKS_FOR_PASSWORD.includes(element)
      ? " The user is <code>alice</code>, with the password <code>password</code>."
      : ""
  }</p>\n`;

/** The buttons of the front page, a live element, and a card for each quick start. */
function startLinks() {
  const quickStarts = pagesOf(navigation).filter(({ path }) =>
    path.startsWith("docs/get-started/"),
  );
  const cards = quickStarts.map(
    (page) => `<a href="./${page.path.replace(/md$/, "html")}">${shortTitle(page)}</a>`,
  );
  return `<p class="buttons">
    <a class="primary" href="#quick-start">Get started</a>
    <a href="./playground/" target="_self">Try the elements</a>
  </p>
  ${live("matrix-login", "./")}
  <p class="cards">${cards.join(" ")}</p>\n`;
}

/**
 * Sets paths for Vite. A picture with two color schemes gets the path for the reader's scheme.
 *
 * @param {string} html
 */
function pictures(html) {
  return html
    .replace(/<\/?picture>/g, "")
    .replace(
      /<source srcset="([^"]+)" media="\(prefers-color-scheme: dark\)" \/>\s*<img src="([^"]+)"([^>]+)>/g,
      '<img class="picture-dark" loading="lazy" src="$1"$3><img class="picture-light" loading="lazy" src="$2"$3>',
    )
    .replace(/(\ssrc=")(?=[\w])(?!https?:)/g, "$1./");
}

/** The policy of policy.mjs allows no style attributes. */
function alignByClass(token) {
  const [, side] = /^text-align:(\w+)$/.exec(token.attrGet("style") ?? "") ?? [];
  if (side) token.attrs = [["class", `align-${side}`]];
}

/**
 * Points links to files that are not pages to the repository. If its URL is unknown, only their text remains.
 *
 * @param {object[]} tokens
 * @param {string} page
 */
function linkFiles(tokens, page) {
  let unlinked = false;
  for (const token of tokens) {
    if (token.type === "link_open") {
      const href = token.attrGet("href");
      const path = join(page, "..", decodeURI(href).split("#")[0]);
      // Missing files are reported as dead links.
      const isFile = !/^[a-z]+:|^#/.test(href) && !PAGE.test(path) && existsSync(ROOT + path);
      if (isFile && repository) token.attrSet("href", `${repository}/blob/HEAD/${path}`);
      unlinked = isFile && !repository;
    }
    if (unlinked && token.type.startsWith("link_")) {
      Object.assign(token, { type: "text", content: "" });
    }
  }
}
