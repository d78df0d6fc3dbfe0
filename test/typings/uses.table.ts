// Correct and incorrect uses of a framework's types, in each framework's syntax.
import { write, type FrameworkName, type Markup } from "../frameworks/markup.mjs";

/** The frameworks whose types the package declares. */
export type Typed = Exclude<FrameworkName, "angular">;

const DELETE = 'client.deleteDevice("LAPTOP", event.detail.authData)';

const RIGHT: readonly Markup[] = [
  { tag: "oidc-login" },
  {
    tag: "oidc-login",
    text: { lang: "de", "aria-label": "Sign in", "client-id": "client", "response-mode": "fragment", registration: "reuse" },
    bind: { homeserver: "maybe", disabled: "maybe === undefined" },
    properties: { redirectUri: '"/callback"', clientMetadata: '{ clientName: "Client", contacts: ["mailto:me@app.example"] }' },
    on: {
      "oidc-login-start": `(event) => {
        const homeserver: string | undefined = event.detail.homeserver;
        if (homeserver === undefined) event.preventDefault();
      }`,
      "oidc-redirect": "({ detail }) => go(detail.url)",
      "oidc-cancel": '({ detail }) => detail.reason === "refused"',
      "oidc-error": `({ detail, currentTarget }) => {
        const same: boolean = currentTarget.error === detail.error;
        return same && detail.code === "network_error";
      }`,
    },
    own: {
      react: `key="login" slot="login" className="wide" data-test="login"
        onClick={(event) => event.currentTarget.prepare()}`,
      "react-components": `key="login" slot="login" className="wide" data-test="login"
        onClick={(event) => event.currentTarget.prepare()}`,
      preact: `key="login" slot="login" className="wide" data-test="login"
        onClick={(event) => event.currentTarget.prepare()}`,
      solid: `slot="login" class="wide" classList={{ wide: true }} attr:login-hint={maybe}
        onClick={(event) => event.currentTarget.prepare()}`,
      svelte: `class={["wide", { busy: maybe }]} onclick={(event) => event.currentTarget.prepare()}`,
      vue: `key="login" slot="login" class="wide" login-hint="alice" :issuer="maybe"
        @click="(event) => event.preventDefault()"`,
    },
    children: [{ tag: "b", children: ["Sign in"] }],
  },
  {
    tag: "oidc-callback",
    text: { manual: true, "return-to": "/account", persist: "local" },
    on: { "oidc-success": "({ detail }) => detail.tokenResponse.access_token" },
  },
  {
    tag: "oidc-callback",
    own: { solid: "on:oidc-success={{ handleEvent: ({ detail }) => detail.scope.length, once: true }}", vue: '@oidc-error="go($event.detail.code)"' },
  },
  { tag: "matrix-login" },
  {
    tag: "matrix-login",
    text: { persist: "local", accounts: "many", methods: "oauth password", "homeserver-locked": true, "no-reset": true },
    bind: { homeserver: "maybe" },
    properties: { suggestions: "origins", clientMetadata: '{ clientName: "Client" }' },
    on: {
      "matrix-login-homeserver": '({ detail }) => detail.methods.includes("sso")',
      "matrix-login-start": `(event) => {
        if (event.detail.method === "reset") event.preventDefault();
      }`,
      "matrix-login-redirect": "({ detail }) => go(detail.url)",
      "matrix-login-success": "({ detail }) => go(`/${detail.userId ?? detail.session.key}`)",
      "matrix-login-cancel": '({ detail }) => detail.reason === "closed"',
      "matrix-login-error": `({ detail, currentTarget }) => {
        const same: boolean = currentTarget.error === detail.error;
        return same && detail.code === "network_error";
      }`,
    },
    own: {
      react: "no-registration={false} onClick={(event) => event.currentTarget.check(maybe)}",
      "react-components": "noRegistration={false} onClick={(event) => event.currentTarget.check(maybe)}",
      preact: "no-registration={false} onClick={(event) => event.currentTarget.check(maybe)}",
      solid: `bool:no-registration={false} attr:device-name={maybe}
        onClick={(event) => event.currentTarget.check(maybe)}`,
      svelte: "no-registration={false} onclick={(event) => event.currentTarget.check(maybe)}",
      vue: ':no-registration="false" device-name="Laptop"',
    },
    children: [{ tag: "b", children: ["Sign in"] }],
  },
  {
    tag: "uia-dialog",
    properties: {
      client: "client",
      doRequest: '(authData) => client.deleteDevice("LAPTOP", authData)',
      inputs: '{ emailAddress: "alice@example.org" }',
      supportedStages: '["m.login.password"]',
    },
    on: {
      "uia-do-request": `(event) => { event.respondWith(${DELETE}); }`,
      "uia-request-email-token": "(event) => event.respondWith({ sid: event.detail.secret })",
      "uia-request-phone-token": "(event) => event.respondWith({ sid: event.detail.country })",
      "uia-state-updated": "({ detail }) => detail.status.errcode",
      "uia-busy-changed": "({ detail: { busy } }) => !busy",
      "uia-success": "listener",
      "uia-cancel": "(event) => event.preventDefault()",
      "uia-error": '({ detail }) => detail.code.startsWith("M_")',
    },
    own: {
      react: "ref={dialog} open={false} poll-interval={2000}",
      "react-components": "ref={dialog} open={false} pollInterval={2000}",
      preact: "ref={dialog} open={false} poll-interval={2000}",
      solid: "ref={dialog} bool:open={false} poll-interval={2000}",
      svelte: "bind:this={dialog} open={false} poll-interval={2000}",
      vue: 'ref="dialog" :open="false" poll-interval="2000"',
    },
  },
  {
    tag: "matrix-account",
    text: { sections: "devices password", lang: "de" },
    properties: { client: "client", session: "undefined" },
    on: {
      "matrix-account-change": `({ detail }) =>
        detail.section === "devices" && detail.deviceIds?.includes("LAPTOP")`,
      "matrix-account-link": "(event) => { event.preventDefault(); go(event.detail.url); }",
      "matrix-account-sign-out": "({ detail }) => detail.userId.length",
      "matrix-account-error": `({ detail, currentTarget }) => {
        const same: boolean = currentTarget.error === detail.error;
        return same && detail.code === "network_error";
      }`,
    },
  },
  {
    tag: "uia-fallback-frame",
    text: { mode: "frame", stage: "m.login.sso" },
    bind: { session: "maybe" },
    properties: { allowedOrigins: "origins" },
    on: {
      "uia-fallback-open": "({ detail }) => go(detail.url)",
      "uia-fallback-done": "({ currentTarget }) => currentTarget.open()",
      "uia-fallback-close": "({ detail }) => detail.stage",
      "uia-fallback-blocked": "({ detail }) => detail.session?.length",
      statechange: "({ currentTarget }) => currentTarget.state.length",
    },
  },
];

/** React and Preact write a property like an attribute; Vue can. */
const WRONG: readonly (readonly [why: string, wrong: Markup])[] = [
  ["no such attribute", { tag: "oidc-login", text: { homserver: "example.org" } }],
  ["not of this element", { tag: "oidc-callback", text: { homeserver: "example.org" } }],
  ["no such value", { tag: "oidc-callback", text: { persist: "forever" } }],
  ["attributes of text take no numbers", { tag: "oidc-login", bind: { "client-id": "1" } }],
  ["nor do properties", { tag: "oidc-login", properties: { clientId: "1" } }],
  ["none of the two values", { tag: "oidc-login", text: { "response-mode": "post" } }],
  ["none of the two values", { tag: "uia-fallback-frame", text: { mode: "tab" } }],
  ["not a boolean", { tag: "oidc-login", text: { disabled: "disabled" } }],
  ["no number", { tag: "uia-dialog", text: { "poll-interval": "often" } }],
  ["no such field", { tag: "oidc-login", properties: { clientMetadata: '{ clientname: "" }' } }],
  ["none of the two values", { tag: "matrix-login", text: { accounts: "all" } }],
  ["of `<oidc-login>`", { tag: "matrix-login", text: { issuer: "idp.example" } }],
  ["not a boolean", { tag: "matrix-login", text: { "no-reset": "no" } }],
  ["neither text nor a list", { tag: "matrix-login", properties: { suggestions: "1" } }],
  ["the token is not in it", { tag: "matrix-login", on: { "matrix-login-success": "({ detail }) => detail.accessToken" } }],
  ["a client is not a session", { tag: "matrix-account", properties: { session: "client" } }],
  ["can only be read", { tag: "matrix-account", properties: { devices: "[]" } }],
  ["no such action", { tag: "matrix-account", on: { "matrix-account-change": '({ detail }) => detail.action === "deleted"' } }],
  ["a list", { tag: "uia-dialog", properties: { supportedStages: '"m.login.password"' } }],
  ["can only be read", { tag: "uia-dialog", properties: { state: '"idle"' } }],
  ["of another shape", { tag: "uia-dialog", on: { "uia-success": "({ detail }) => detail.code" } }],
  ["a listener of another event", { tag: "uia-dialog", on: { "uia-success": "ofAnother" } }],
  ["the response lacks its `sid`", { tag: "uia-dialog", on: { "uia-request-email-token": "(event) => event.respondWith({})" } }],
  ["no listener", { tag: "oidc-callback", on: { "oidc-success": "text" } }],
  ["the element has no such method", { tag: "oidc-login", on: { "oidc-error": "({ currentTarget }) => currentTarget.attemptAuth()" } }],
];

/** Errors that only one framework can have. */
const OWN: Readonly<Record<Typed, readonly (readonly [why: string, wrong: string])[]>> = {
  react: [["no such element", "<oidc-logout />"]],
  "react-components": [
    ["no such component", "<OidcLogout />"],
    ["no such event", "<UiaDialog onUiaSucceeded={() => undefined} />"],
    ["a method", "<OidcLogin prepare={() => undefined} />"],
    ["the ref of another element", "<OidcLogin ref={dialog} />"],
  ],
  preact: [["no such element", "<oidc-logout />"]],
  solid: [
    ["no such element", "<oidc-logout />"],
    ["Solid would set `clientid`", '<oidc-login clientId="client" />'],
    ["only a property", '<uia-dialog supportedStages={["m.login.password"]} />'],
    ["no such property", '<oidc-login prop:clientID="client" />'],
    ["none of the two values", '<uia-fallback-frame attr:mode="tab" />'],
    ['it would be set to "false", which counts as set', "<oidc-login attr:disabled={false} />"],
    ["not a boolean", '<uia-dialog bool:open="open" />'],
  ],
  svelte: [
    ["an attribute without its dash", '<oidc-login clientid="client"></oidc-login>'],
    ["no such attribute, with a dash", '<oidc-login client-ids="client"></oidc-login>'],
    ["no such event", "<uia-dialog onuia-succeeded={() => undefined}></uia-dialog>"],
  ],
  vue: [
    ["no such element", "<oidc-logout />"],
    ["no such attribute, with a dash", '<oidc-login client-ids="client" />'],
    ["no text, without the modifier for a property", '<oidc-login :clientId="1" />'],
    ["no text, with that modifier", '<oidc-login :client-id.prop="1" />'],
    ["no such field", `<oidc-login :clientMetadata="{ clientname: 'Client' }" />`],
    ["of another shape", '<uia-dialog @uia-success="go($event.detail.result)" />'],
    ["no such event", '<uia-dialog @uia-succeeded="() => undefined" />'],
  ],
};

const typings = (framework: string): string => `import "matrix-auth-elements/define";
import "matrix-auth-elements/types/${framework}";`;

const COMPONENTS = `import { MatrixAccount, MatrixLogin, OidcCallback, OidcLogin, UiaDialog, UiaFallbackFrame }
  from "matrix-auth-elements/react";`;

const script = (imports: string): string => `
${imports}
import { HomeserverClient, type UiaDialogElement, type UiaErrorEvent, type UiaSuccessEvent } from "matrix-auth-elements";
const client = new HomeserverClient({ baseUrl: "https://hs.example", accessToken: "token" });
const listener = ({ detail }: UiaSuccessEvent): void => void detail.result;
const ofAnother = ({ detail }: UiaErrorEvent): string => detail.code;
const origins = ["https://hs.example"];
const go = (url: string): void => location.assign(url);
const text = "done";
`;

const jsx = (imports: string, ref: string) => (markup: string) => `${script(imports)}
export function Page({ maybe }: { maybe: string | undefined }) {
  ${ref}
  return <>${markup}<button onClick={() => ${ref.includes("current") ? "dialog.current" : "dialog"}?.attemptAuth()} /></>;
}
export const uses = [client, listener, ofAnother, origins, go, text];`;

/** The result of `useRef()`. */
const REF = "const dialog: { current: UiaDialogElement | null } = { current: null };";

/** A page around the markup. `Page.vue` and the like are files; others exist only during the check. */
const PAGES: Readonly<Record<Typed, (markup: string) => string>> = {
  react: jsx(typings("react"), REF),
  "react-components": jsx(COMPONENTS, REF),
  preact: jsx(typings("preact"), REF),
  solid: jsx(typings("solid"), "let dialog: UiaDialogElement | undefined;"),
  svelte: (markup) => `<script lang="ts">${script(typings("svelte"))}
const { maybe }: { maybe: string | undefined } = $props();
let dialog: UiaDialogElement | undefined = $state();
</script>
${markup}<button onclick={() => dialog?.attemptAuth()}>Delete</button>`,
  vue: (markup) => `<script setup lang="ts">${script(typings("vue"))}
import { useTemplateRef } from "vue";
const { maybe } = defineProps<{ maybe: string | undefined }>();
const dialog = useTemplateRef<UiaDialogElement>("dialog");
const attempt = (): void => void dialog.value?.attemptAuth();
</script>
<template>${markup}<button @click="attempt">Delete</button></template>`,
};

export const right = (framework: Typed): string => PAGES[framework](RIGHT.map((each) => write(framework, each)).join("\n"));

/** @returns The page, and its errors: the reason by line. */
export function wrong(framework: Typed): { text: string; errors: ReadonlyMap<number, string> } {
  const written = WRONG.map(([why, markup]) => [why, write(framework, markup)] as const);
  // Some frameworks write attributes and properties alike, so markup can repeat.
  const byMarkup = new Map([...written, ...OWN[framework]].map(([why, markup]) => [markup, why]));
  const rows = [...byMarkup].map(([markup, why]) => [why, markup] as const);
  const text = PAGES[framework](`\n${rows.map(([, markup]) => markup).join("\n")}\n`);
  const lines = text.split("\n");
  return { text, errors: new Map(rows.map(([why, markup]) => [lines.indexOf(markup) + 1, `${why}: ${markup}`])) };
}
