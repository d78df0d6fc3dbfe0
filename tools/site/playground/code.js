// The page to copy: it stands beside the files of dist/cdn/.
import { ownPageOf, pageOf } from "./setups.js";
import { stageOf } from "./scenarios.js";
import { directionOf } from "./state.js";
import { cssOf } from "./styles.js";

/** @typedef {import("./setups.js").Markup} Markup */
/** @typedef {import("./state.js").State} State */

const BASE_URL = "https://matrix.example.org";

/** @param {State} state */
export function codeOf(state) {
  const direction = directionOf(state);
  const markup = pageOf(state, { alone: true });
  const script = scriptOf(state);
  return [
    "<!doctype html>",
    `<html lang="${state.language}"${direction === "rtl" ? ' dir="rtl"' : ""}>`,
    ...indent(
      [
        "<head>",
        ...indent([
          '<meta charset="utf-8" />',
          '<meta name="viewport" content="width=device-width" />',
          "<title>My client</title>",
          "<style>",
          ...indent(cssOf(state).split("\n")),
          "</style>",
          '<script type="module" src="matrix-auth-elements.js"></script>',
        ]),
        "</head>",
        "<body>",
        ...indent([
          ...markup.flatMap(htmlOf),
          ...(script.length > 0 ? ['<script type="module">', ...indent(script), "</script>"] : []),
        ]),
        "</body>",
      ],
      0,
    ),
    "</html>",
    "",
  ].join("\n");
}

/** @param {readonly string[]} lines */
const indent = (lines, by = 2) => lines.map((line) => (line ? " ".repeat(by) + line : line));

/** @param {string} text */
const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** A string in a script within HTML. @param {string} text */
const quote = (text) => JSON.stringify(text).replaceAll("<", "\\u003c");

/** @param {Markup | string} markup @returns {string[]} */
function htmlOf(markup) {
  if (typeof markup === "string") return [escape(markup)];
  const { tag, attributes, children } = markup;
  const list = Object.entries(attributes).map(([name, value]) =>
    value === true ? name : `${name}="${escape(value)}"`,
  );
  const single = `<${[tag, ...list].join(" ")}>`;
  const start = single.length <= 80 ? [single] : [`<${tag}`, ...indent(list), ">"];
  const [only] = children;
  if (children.length === 0 || (children.length === 1 && typeof only === "string")) {
    const last = start.pop() ?? "";
    return [...start, `${last}${typeof only === "string" ? escape(only) : ""}</${tag}>`];
  }
  return [...start, ...indent(children.flatMap(htmlOf)), `</${tag}>`];
}

/** @param {State} state */
function scriptOf(state) {
  const { element, language, textName, text } = state;
  const body = [...(BODIES[element]?.(state) ?? []), ...state.events.flatMap(listenerOf(element))];
  const usesClient = body.some((line) => line.includes("new HomeserverClient"));
  const hasText = textName !== "" && text !== "";
  return [
    ...(usesClient ? ['import { HomeserverClient } from "./core.js";'] : []),
    ...(hasText ? ['import { registerTranslation } from "./matrix-auth-elements.js";'] : []),
    ...(usesClient || hasText ? [""] : []),
    ...(hasText
      ? [`registerTranslation({ $code: ${quote(language)}, ${textName}: ${quote(text)} });`]
      : []),
    ...body,
  ];
}

/** Outcomes bubble; in a redirect they are another element's. */
const IS_OUTCOME = /-(success|cancel|error)$/;

/** @param {string} element */
const listenerOf = (element) => (/** @type {string} */ name) => [
  `${IS_OUTCOME.test(name) ? "document" : `document.querySelector("${element}")`}.addEventListener("${name}", ({ detail }) => {`,
  ...indent([handlerOf(name)]),
  "});",
];

/** What is not for the console: a detail may have tokens. @param {string} name */
function handlerOf(name) {
  if (name === "matrix-login-success") return "document.body.append(`You are ${detail.userId}`);";
  if (name === "oidc-success")
    return "document.body.append(`Signed in at ${detail.homeserverUrl}`);";
  if (name.endsWith("-error")) return `console.warn("${name}", detail.code);`;
  return `console.log("${name}", Object.keys(detail));`;
}

const OUTCOME = [
  '() => (outcome.textContent = "Done."),',
  "(error) => (outcome.textContent = `Not done: ${error.code ?? error.errcode ?? error.message}`),",
];

/** Whether the stage's page is the provider's, which its parameters name. @param {string} id */
const isApproval = (id) => ["m.oauth", "org.matrix.cross_signing_reset"].includes(ownPageOf(id));

/** What a page does with its element. @type {Readonly<Record<string, (state: State) => string[]>>} */
const BODIES = {
  "uia-dialog": ({ stage }) => {
    const ask = [
      'const dialog = document.querySelector("uia-dialog");',
      'const ask = document.querySelector("#ask");',
      'const outcome = document.querySelector("#outcome");',
    ];
    const on = (/** @type {string} */ request) => [
      'ask.addEventListener("click", () => {',
      ...indent([`dialog.authenticate((auth) => ${request}).then(`, ...indent(OUTCOME), ");"]),
      "});",
    ];
    if (stageOf(stage).request === "device") {
      return [
        ...ask,
        'document.addEventListener("matrix-login-success", ({ detail: { client } }) => {',
        ...indent([
          "dialog.client = client;",
          "ask.disabled = false;",
          ...on('client.deleteDevice("LAPTOP", auth)'),
        ]),
        "});",
      ];
    }
    return [
      ...ask,
      `const client = new HomeserverClient({ baseUrl: "${BASE_URL}" });`,
      "dialog.client = client;",
      "dialog.requestEmailToken = (...request) => client.requestRegisterEmailToken(...request);",
      "dialog.requestPhoneToken = (...request) => client.requestRegisterMsisdnToken(...request);",
      ...on('client.register({ password: "the one that the user has chosen", auth })'),
      // Until there is somebody to hear it, a click would be lost.
      "ask.disabled = false;",
    ];
  },
  "uia-fallback-frame": ({ stage, attributes }) => [
    'const frame = document.querySelector("uia-fallback-frame");',
    'const outcome = document.querySelector("#outcome");',
    `const client = new HomeserverClient({ baseUrl: "${BASE_URL}" });`,
    "frame.client = client;",
    "// The homeserver refuses the first request, and names the session.",
    'const request = (auth) => client.register({ password: "the one that the user has chosen", auth });',
    "request().catch(({ data }) => {",
    ...(attributes["session"] ? [] : ["  frame.session = data.session;"]),
    ...(isApproval(stage) ? [`  frame.url = data.params["${ownPageOf(stage)}"].url;`] : []),
    "});",
    'frame.addEventListener("uia-fallback-done", () => {',
    ...indent(["request({ session: frame.session }).then(", ...indent(OUTCOME), ");"]),
    "});",
  ],
};
