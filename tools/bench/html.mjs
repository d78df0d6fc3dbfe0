// The elements, and the pages with them that are driven from outside.
import { readFile } from "node:fs/promises";
import { scriptOf } from "./site.mjs";

/**
 * The elements that are compared, ours first.
 *
 * @type {readonly Element[]}
 * @typedef {object} Element
 * @property {string} subject
 * @property {string} tag
 * @property {Record<string, string>} [attributes] What it needs to show something.
 * @property {string} [note] The difference in its first render.
 */
export const ELEMENTS = [
  { subject: "ours", tag: "oidc-login", attributes: { homeserver: "localhost:9" } },
  { subject: "ours", tag: "oidc-callback" },
  { subject: "ours", tag: "matrix-login" },
  { subject: "ours", tag: "matrix-account", note: "its frame alone, without a client" },
  { subject: "ours", tag: "uia-dialog" },
  {
    subject: "ours",
    tag: "uia-fallback-frame",
    attributes: { stage: "m.login.recaptcha", session: "s", homeserver: "http://localhost:9" },
  },
  {
    subject: "hanko-elements",
    tag: "hanko-auth",
    note: "until it shows anything; its server is a stub without content",
  },
  {
    subject: "descope",
    tag: "descope-wc",
    attributes: { "project-id": "P2bench", "flow-id": "sign-in", "base-url": "/descope" },
    note: "only its frame: the screen's parts come from its servers",
  },
];

const HEAD = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,">`;
const ALL = "/cdn/matrix-auth-elements.js";
const DIALOG = `<button id="delete">Delete</button>
<uia-dialog user-id="@alice:localhost"></uia-dialog>`;

const NARROW = `<meta name="viewport" content="width=device-width">`;
const ACCOUNT = `<script type="module">
import { HomeserverClient } from "/cdn/core.js";
const { homeserverUrl: baseUrl, ...user } = window.user;
document.querySelector("matrix-account").client = new HomeserverClient({ baseUrl, ...user });
</script>`;
const SHIFT = `<script>setTimeout(() => (document.querySelector("p").style.marginBlockStart = "50vh"), 500)</script>`;

/** @param {string} tag @param {Record<string, string>} [attributes] */
function tagOf(tag, attributes = {}) {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<${tag}${written.join("")}></${tag}>`;
}

/** @param {import("./report.mjs").Bench["servers"]} servers @returns By name, for the site. */
export async function pagesOf({ homeserver, clientId }) {
  const driven = `<script>${await readFile("tools/bench/pages/elements.js", "utf8")}</script>`;
  /** @param {string} script @param {string} [body] */
  const page = (script, body = "") =>
    `${HEAD}<script type="module" src="${script}"></script><body>${body}${driven}`;
  /** @param {Record<string, string>} [attributes] */
  const login = (attributes) =>
    tagOf("oidc-login", { homeserver: homeserver.host, ...attributes }) + tagOf("oidc-callback");
  /** The file of one element. @param {string} tag */
  const own = (tag) => `/cdn/elements/${tag}.js`;
  /** @type {Record<string, string>} */
  const pages = {
    login: page(ALL, login()),
    "login-known": page(ALL, login({ "client-id": clientId })),
    "login-elsewhere": page(ALL, login({ "redirect-uri": "/html/callback" })),
    callback: page(ALL, tagOf("oidc-callback")),
    "narrow-login": page(own("matrix-login"), NARROW + tagOf("matrix-login")),
    "narrow-account": page(own("matrix-account"), NARROW + tagOf("matrix-account") + ACCOUNT),
    shift: `${HEAD}${NARROW}<body><p style="font-size: 20vh">Moves</p>${SHIFT}`,
    visit: page(ALL, login() + DIALOG),
    render: `${HEAD}<body>${driven}`,
    "empty-ours": page(ALL),
  };
  for (const { subject, tag, attributes } of ELEMENTS) {
    if (subject === "ours") continue;
    pages[`empty-${subject}`] = page(scriptOf(subject));
    pages[`only-${subject}`] = page(scriptOf(subject), tagOf(tag, attributes));
  }
  return pages;
}
