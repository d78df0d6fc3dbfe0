// The page to copy, for a place next to the files of dist/cdn/.
import { ownPageOf, pageOf } from "./setups.js";
import { stageOf } from "./scenarios.js";
import { directionOf, type State } from "./state.js";
import { cssOf } from "./styles.js";

const BASE_URL = "https://matrix.example.org";

export function codeOf(state: State): string {
  const direction = directionOf(state);
  const script = scriptOf(state);
  return `<!doctype html>
<html lang="${state.language}"${direction === "rtl" ? ' dir="rtl"' : ""}>
<head>
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <meta name="color-scheme" content="light dark" />
  <title>My client</title>
  <style>
${block(cssOf(state).split("\n"), 4)}
  </style>
  <script type="module" src="matrix-auth-elements.js"></script>
</head>
<body>
${block(pageOf(state, { alone: true }).flatMap(htmlOf), 2)}
${script.length > 0 ? `  <script type="module">\n${block(script, 4)}\n  </script>\n` : ""}</body>
</html>
`;
}

const block = (lines: readonly string[], by: number) => indent(lines, by).join("\n");

const indent = (lines: readonly string[], by = 2) =>
  lines.map((line) => (line ? " ".repeat(by) + line : line));

const escape = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** A string in a script within HTML. */
const quote = (text: string) => JSON.stringify(text).replaceAll("<", "\\u003c");

function htmlOf(node: Node): readonly string[] {
  if (!(node instanceof Element)) return [escape(node.textContent ?? "")];
  const { localName, attributes, childNodes } = node;
  const list = [...attributes].map(({ name, value }) =>
    value === "" ? name : `${name}="${escape(value)}"`,
  );
  const single = `<${[localName, ...list].join(" ")}>`;
  const start = single.length <= 80 ? [single] : [`<${localName}`, ...indent(list), ">"];
  if (node.children.length === 0 && childNodes.length < 2) {
    const last = start.pop() ?? "";
    return [...start, `${last}${escape(node.textContent ?? "")}</${localName}>`];
  }
  return [...start, ...indent([...childNodes].flatMap(htmlOf)), `</${localName}>`];
}

/** The lines of the page's script. */
function scriptOf(state: State): readonly string[] {
  const { element, language, textName, text } = state;
  const hasText = textName !== "" && text !== "";
  const body = [BODIES[element]?.(state) ?? [], state.events.map(listenerOf(element))].flat();
  const usesClient = body.some((part) => part.includes("new HomeserverClient"));
  return [
    ...(usesClient ? ['import { HomeserverClient } from "./core.js";'] : []),
    ...(hasText ? ['import { registerTranslation } from "./matrix-auth-elements.js";'] : []),
    ...(usesClient || hasText ? [""] : []),
    ...(hasText
      ? [`registerTranslation({ $code: ${quote(language)}, ${textName}: ${quote(text)} });`]
      : []),
    ...body.flatMap((part) => part.split("\n")),
  ];
}

/** These events bubble. In a redirect, another element fires them. */
const IS_OUTCOME = /-(success|cancel|error)$/;

const listenerOf = (element: string) => (name: string) => {
  const target = IS_OUTCOME.test(name) ? "document" : `document.querySelector("${element}")`;
  return `${target}.addEventListener("${name}", ({ detail }) => {\n  ${handlerOf(name)}\n});`;
};

/** Details are not logged, because they can contain tokens. */
function handlerOf(name: string): string {
  if (name === "matrix-login-success") return "document.body.append(`You are ${detail.userId}`);";
  if (name === "oidc-success")
    return "document.body.append(`Signed in at ${detail.homeserverUrl}`);";
  if (name.endsWith("-error")) return `console.warn("${name}", detail.code);`;
  return `console.log("${name}", Object.keys(detail));`;
}

const REGISTER = 'client.register({ password: "the one that the user has chosen", auth })';
const CLIENT = `const client = new HomeserverClient({ baseUrl: "${BASE_URL}" });`;
const OUTCOME = `() => (outcome.textContent = "Done."),
    (error) => (outcome.textContent = \`Not done: \${error.code ?? error.errcode ?? error.message}\`),`;

const askFor = (request: string) => `ask.addEventListener("click", () => {
  dialog.authenticate((auth) => ${request}).then(
    ${OUTCOME}
  );
});
// Before, a click would be lost.
ask.disabled = false;`;

/** Whether the stage's page is the provider's, whose URL is in the parameters. */
const isApproval = (id: string) =>
  ["m.oauth", "org.matrix.cross_signing_reset"].includes(ownPageOf(id));

/** The page's code for each element. */
const BODIES: Readonly<Record<string, (state: State) => string>> = {
  "matrix-account": () => `const account = document.querySelector("matrix-account");
document.addEventListener("matrix-login-success", ({ detail: { session } }) => {
  account.session = session;
});`,
  "uia-dialog": ({ stage }) => `const dialog = document.querySelector("uia-dialog");
const ask = document.querySelector("#ask");
const outcome = document.querySelector("#outcome");
${
  stageOf(stage).request === "device"
    ? `document.addEventListener("matrix-login-success", ({ detail: { client } }) => {
  dialog.client = client;
${block(askFor('client.deleteDevice("LAPTOP", auth)').split("\n"), 2)}
});`
    : `${CLIENT}
dialog.client = client;
dialog.requestEmailToken = (...request) => client.requestRegisterEmailToken(...request);
dialog.requestPhoneToken = (...request) => client.requestRegisterMsisdnToken(...request);
${askFor(REGISTER)}`
}`,
  "uia-fallback-frame": ({ stage, attributes }) =>
    `const frame = document.querySelector("uia-fallback-frame");
const outcome = document.querySelector("#outcome");
${CLIENT}
frame.client = client;
const request = (auth) => ${REGISTER};
// The homeserver refuses the first request, and names the session.
request().catch(({ data }) => {
  ${attributes["session"] ? "" : "frame.session = data.session;"}
  ${isApproval(stage) ? `frame.url = data.params["${ownPageOf(stage)}"].url;` : ""}
});
frame.addEventListener("uia-fallback-done", () => {
  request({ session: frame.session }).then(
    ${OUTCOME}
  );
});`.replace(/\n +(?=\n)/g, ""),
};
