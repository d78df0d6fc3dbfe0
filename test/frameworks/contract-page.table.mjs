// The page that checks a framework. One description of its elements is written in each framework's syntax.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { elements, names } from "../package/manifest.mjs";
import { write } from "./markup.mjs";

/** @typedef {import("./markup.mjs").FrameworkName} FrameworkName */
/** @typedef {import("./markup.mjs").Markup} Markup */

/** The settings of both elements that start sign-ins. */
const LOGIN_SETTINGS = {
  homeserver: "hs.example",
  "client-id": "a-client",
  "redirect-uri": "/back",
  "client-name": "A client",
  "client-uri": "https://client.example",
  // <matrix-login> loads this image.
  "logo-uri": "/icon.svg",
  "tos-uri": "https://client.example/terms",
  "policy-uri": "https://client.example/policy",
  prompt: "login",
  "device-id": "DEVICE",
  "return-to": "/account",
  "response-mode": "query",
  registration: "reuse",
  mode: "popup",
  "additional-scopes": "urn:synapse:admin:*",
  persist: "local",
  "session-key": "work",
  "timeout-ms": 20_000,
};

/**
 * Every setting that has an attribute, by the page's ID for the element. The elements with these settings are
 * hidden, and send no requests.
 */
export const SETTINGS = {
  login: { ...LOGIN_SETTINGS, issuer: "https://idp.example/", "login-hint": "alice", "identity-server": "https://is.example" },
  matrix: {
    ...LOGIN_SETTINGS,
    // Any other homeserver would be requested immediately.
    homeserver: "",
    suggestions: "hs.example other.example",
    methods: "oauth password",
    accounts: "many",
    "user-id": "@alice:hs.example",
    "device-name": "A laptop",
  },
  callback: { "return-to": "/account", persist: "local", "session-key": "work", "timeout-ms": 20_000 },
  dialog: {
    "user-id": "@alice:hs.example",
    "session-id": "session",
    "client-secret": "secret",
    "email-sid": "sid",
    "poll-interval": 1000,
    heading: "A heading",
    "submit-label": "A label",
  },
  frame: { stage: "m.login.sso", session: "session", homeserver: "https://hs.example", mode: "popup", url: "https://hs.example/page" },
  account: { sections: "devices password" },
};

/** The settings that are set without a value. @type {Readonly<Record<string, readonly string[]>>} */
export const FLAGS = {
  login: ["disabled"],
  matrix: ["disabled", "homeserver-locked", "no-registration", "no-reset"],
  callback: ["manual", "quiet"],
  dialog: ["destructive"],
  frame: [],
  account: [],
};

/** @satisfies {Record<keyof typeof SETTINGS, string>} */
export const TAGS = {
  login: "oidc-login",
  matrix: "matrix-login",
  callback: "oidc-callback",
  dialog: "uia-dialog",
  frame: "uia-fallback-frame",
  account: "matrix-account",
};

/**
 * An element with listeners for all its events.
 *
 * @param {keyof typeof TAGS} id
 * @param {Partial<Markup>} more
 * @returns {Markup}
 */
const element = (id, { text, ...more }) => ({
  tag: TAGS[id],
  when: `shown.${id}`,
  text: { id, ...text },
  on: Object.fromEntries(names(elements.find(({ tagName }) => tagName === TAGS[id])?.events ?? []).map((type) => [type, "recordEvent"])),
  ...more,
});

/** @param {readonly string[]} names Members of `shown`. */
const shown = (...names) => Object.fromEntries(names.map((name) => [name, `shown.${name}`]));

/** @type {readonly Markup[]} */
const PAGE = [
  { tag: "oidc-login", text: { id: "plain" } },
  element("login", {
    bind: { ...shown("homeserver", "mode", "disabled"), "redirect-uri": "shown.redirectUri" },
    properties: shown("clientMetadata"),
    children: ["Label {shown.label}"],
  }),
  element("matrix", {
    bind: shown("disabled"),
    properties: shown("suggestions", "clientMetadata"),
    children: [{ tag: "h2", text: { slot: "heading" }, children: ["Heading {shown.label}"] }],
  }),
  element("callback", {}),
  {
    tag: "div",
    text: { id: "provider" },
    children: [
      element("dialog", {
        bind: { ...shown("open"), "poll-interval": "shown.pollInterval" },
        properties: shown("supportedStages", "inputs"),
        children: [{ tag: "p", text: { slot: "description" }, children: ["Description {shown.label}"] }],
      }),
    ],
  },
  element("frame", { text: { stage: "m.login.sso", session: "session" }, bind: { url: "shown.homeserver" } }),
  element("account", {
    text: { sections: "devices" },
    properties: shown("client", "session"),
    children: [{ tag: "h2", text: { slot: "heading" }, children: ["Account {shown.label}"] }],
  }),
  {
    tag: "div",
    text: { hidden: true },
    children: Object.entries(SETTINGS).map(([id, values]) => ({
      tag: TAGS[/** @type {keyof typeof TAGS} */ (id)],
      ...(id === "matrix" && { when: "shown.matrix" }),
      text: { id: `${id}-attributes`, ...Object.fromEntries((FLAGS[id] ?? []).map((name) => [name, /** @type {true} */ (true)])) },
      spread: { name: id.toUpperCase(), values },
    })),
  },
];

const CONSTANTS = Object.entries(SETTINGS)
  .map(([id, values]) => `const ${id.toUpperCase()} = ${JSON.stringify(values)};`)
  .join("\n");

/** @param {string} contract The path of contract.ts. */
const script = (contract) => `import { recordEvent, type Shown } from "${contract}";
${CONSTANTS}`;

/**
 * The file of each framework, and its code around the markup.
 *
 * @type {Record<FrameworkName, [file: string, text: (markup: string) => string]>}
 */
const COMPONENTS = {
  // Each render makes a new listener.
  react: [
    "Contract.tsx",
    (markup) => `${script("../../contract")}
export function Contract({ shown }: { shown: Shown }) {
  const onEvent = (event: Event): void => recordEvent(event);
  return <>${markup.replaceAll("{recordEvent}", "{onEvent}")}</>;
}`,
  ],
  preact: ["Contract.tsx", (markup) => COMPONENTS.react[1](markup).replace("../../", "../")],
  // The properties have types, which the page's client and session only partly implement.
  "react-components": [
    "Contract.tsx",
    (markup) => `import type { AccountClient, MatrixSession } from "matrix-auth-elements";
import { MatrixAccount, MatrixLogin, OidcCallback, OidcLogin, UiaDialog, UiaFallbackFrame } from "matrix-auth-elements/react";
${COMPONENTS.preact[1](markup).replace("shown.client}", "shown.client as AccountClient}").replace("shown.session}", "shown.session as MatrixSession}")}`,
  ],
  solid: [
    "Contract.tsx",
    (markup) => `import { Show } from "solid-js";
${script("../contract")}
export const Contract = (props: { shown: Shown }) => <>${markup}</>;`,
  ],
  svelte: [
    "Contract.svelte",
    (markup) => `<script lang="ts">
${script("../../contract")}
let { shown }: { shown: Shown } = $props();
</script>
${markup}`,
  ],
  vue: [
    "Contract.vue",
    (markup) => `<script setup lang="ts">
${script("../../contract")}
defineProps<{ shown: Shown }>();
</script>
<template>${markup}</template>`,
  ],
  angular: [
    "contract-page.ts",
    (markup) => `import { Component, CUSTOM_ELEMENTS_SCHEMA, signal } from "@angular/core";
import { FIRST } from "../../contract";
${script("../../contract")}
export const shown = signal<Shown>(FIRST);
@Component({
  selector: "app-contract",
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: \`${markup}\`,
})
export class ContractPage {
  protected readonly shown = shown;
  protected readonly recordEvent = recordEvent;
${Object.keys(SETTINGS)
  .map((id) => `  protected readonly ${id.toUpperCase()} = ${id.toUpperCase()};`)
  .join("\n")}
}`,
  ],
};

/** @param {string} main */
const html = (main) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Contract</title>
    <link rel="icon" href="/icon.svg" />
    <script type="module" src="./${main}"></script>
  </head>
  <body>
    <div id="app"></div>
  </body>
</html>
`;

/** Declares the elements without types: test/typings tests those. @param {string} module */
const untyped = (module) => `import "${module}";

declare module "${module}" {
  namespace JSX {
    interface IntrinsicElements {
      [tag: \`\${"matrix" | "oidc" | "uia"}-\${string}\`]: Record<string, unknown>;
    }
  }
}
`;

/** The files next to the component. @type {Partial<Record<FrameworkName, [main: string, jsx?: string]>>} */
const BESIDE = {
  react: ["main.tsx", "react"],
  "react-components": ["main.tsx", "react"],
  preact: ["main.tsx", "preact"],
  solid: ["main.tsx", "solid-js"],
  svelte: ["main.svelte.ts"],
  vue: ["main.ts"],
};

/**
 * Writes a framework's page into the folder with its other files.
 *
 * @param {FrameworkName} framework
 * @param {string} folder
 */
export async function writeContractPage(framework, folder) {
  const markup = PAGE.map((each) => write(framework, each));
  const [file, textAround] = COMPONENTS[framework];
  const [main, jsx] = BESIDE[framework] ?? [];
  await writeFile(join(folder, file), textAround(markup.join("\n")));
  if (main) await writeFile(join(folder, "index.html"), html(main));
  if (jsx) await writeFile(join(folder, "elements.d.ts"), untyped(jsx));
}
