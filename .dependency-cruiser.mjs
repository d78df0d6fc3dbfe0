// The walls of the house, for dependency-cruiser: `npm run lint` (CONTRIBUTING.md has the map). ESLint's rules
// see neither circles nor what a folder reaches by `import()`.
import { FIRST_PAINT, LOADED_LATER } from "./scripts/first-paint.mjs";

/** What a page loads before the first paint, with the entries that load it. That of `<matrix-login>` has its first screen. */
const FIRST = `^src/(${FIRST_PAINT}|all-elements\\.ts|define/(?!matrix-(login|account))|react/|events/|context/|script-tag/(?!global|languages|requests\\.|matrix-(login|account)))`;

/** What of the core is there before the first paint: errors, and what takes a response from the address bar. */
const CORE_AT_FIRST =
  "^src/core/(oauth/(errors|error-codes|flow-error|response)|uia/errors|legacy/sso-response|shared/tab-records)\\.ts$";

/** @param {string} element Of the folders of src/elements. */
const others = (element) => `^src/elements/(?!${element}/)`;

/**
 * An import of types alone is no import at run time.
 *
 * @type {{ dependencyTypesNot: import("dependency-cruiser").DependencyType[] }}
 */
const VALUES = { dependencyTypesNot: ["type-only", "type-import"] };

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-circle",
      comment: "No file imports itself by way of others, not even its types.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/elements/" },
      to: { circular: true },
    },
    {
      name: "no-circle-of-elements",
      comment: "The same for elements, except that an element's parts know its type.",
      severity: "error",
      from: { path: "^src/elements/" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only", "type-import"] } },
    },
    {
      name: "core-alone",
      comment: "core imports nothing from outside core but @noble/ed25519 and oauth4webapi.",
      severity: "error",
      from: { path: "^src/core/" },
      to: { pathNot: "^src/core/|^node_modules/(@noble/ed25519|oauth4webapi)/" },
    },
    {
      name: "oauth4webapi-behind-oauth",
      comment: "Only core/oauth knows oauth4webapi.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/core/oauth/" },
      to: { path: "^node_modules/oauth4webapi/" },
    },
    {
      name: "http-knows-no-protocol",
      comment: "core/http imports nothing from the rest of core.",
      severity: "error",
      from: { path: "^src/core/http/" },
      to: { pathNot: "^src/core/http/" },
    },
    {
      name: "oauth-alone",
      comment: "core/oauth imports core/http only.",
      severity: "error",
      from: { path: "^src/core/oauth/" },
      to: { path: "^src/core/(session|uia|matrix|legacy)/" },
    },
    {
      name: "legacy-alone",
      comment:
        "core/legacy imports core/http, and of core/matrix what sends requests and reads their responses.",
      severity: "error",
      from: { path: "^src/core/legacy/" },
      to: {
        path: "^src/core/(session|uia|matrix|oauth)/",
        pathNot: "^src/core/matrix/(request|error|whoami)\\.ts$",
      },
    },
    {
      name: "uia-alone",
      comment:
        "core/uia imports core/http only: clients and their errors are known by their shape.",
      severity: "error",
      from: { path: "^src/core/uia/" },
      to: { path: "^src/core/(oauth|session|matrix|legacy)/" },
    },
    {
      name: "matrix-and-metadata",
      comment:
        "core/matrix imports core/http and the metadata part of core/oauth, and types of core/legacy and core/uia.",
      severity: "error",
      from: { path: "^src/core/matrix/" },
      to: {
        path: "^src/core/(session|uia|oauth)/",
        pathNot:
          "^src/core/(oauth/(errors|error-codes|flow-error|issuer-confirmation|metadata)|uia/options)\\.ts$",
      },
    },
    {
      name: "worker-has-no-page",
      comment: "service-worker imports core only.",
      severity: "error",
      from: { path: "^src/service-worker/" },
      to: { pathNot: "^src/(service-worker|core)/" },
    },
    {
      name: "sdk-has-no-page",
      comment: "matrix-js-sdk imports core only: the SDK's client is known by its shape.",
      severity: "error",
      from: { path: "^src/matrix-js-sdk/" },
      to: { pathNot: "^src/(matrix-js-sdk|core)/" },
    },
    {
      name: "nothing-above-sdk",
      comment: "Nothing imports matrix-js-sdk: who does not have it loads nothing for it.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/matrix-js-sdk/" },
      to: { path: "^src/matrix-js-sdk/" },
    },
    {
      name: "testing-stands-apart",
      comment: "testing imports only types from core, and nothing else.",
      severity: "error",
      from: { path: "^src/testing/" },
      to: { pathNot: "^src/(testing|core)/" },
    },
    {
      name: "testing-runs-without-core",
      comment: "testing is what servers do, so it shares no code with the client.",
      severity: "error",
      from: { path: "^src/testing/" },
      to: { path: "^src/core/", ...VALUES },
    },
    {
      name: "testing-is-not-shipped",
      comment: "Nothing imports testing.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/testing/" },
      to: { path: "^src/testing/" },
    },
    {
      name: "node-and-core",
      comment: "node imports core and Node's modules only.",
      severity: "error",
      from: { path: "^src/node/" },
      to: { pathNot: "^src/(node|core)/", dependencyTypesNot: ["core"] },
    },
    {
      name: "nothing-above-node",
      comment: "Nothing imports node, which no browser can load.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/node/" },
      to: { path: "^src/node/" },
    },
    {
      name: "modules-of-node",
      comment: "Only node imports Node's modules.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/node/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "session-and-logins",
      comment:
        "core/session imports core/http, core/oauth, core/legacy, and of core/matrix what sends requests, with a token too, reads their responses, and finds a homeserver.",
      severity: "error",
      from: { path: "^src/core/session/" },
      to: {
        path: "^src/core/(uia|matrix)/",
        pathNot: "^src/core/matrix/(access-token|request|error|whoami|discovery)\\.ts$",
      },
    },
    {
      name: "events-and-context-take-types",
      comment: "events and context import only types from core, and nothing from elements.",
      severity: "error",
      from: { path: "^src/(events|context)/" },
      to: { path: "^src/core/", ...VALUES },
    },
    {
      name: "nothing-above-elements",
      comment:
        "core, events, context and locales import nothing from ui, errors, sign-in and elements; nothing imports define or script-tag.",
      severity: "error",
      from: { path: "^src/(core|events|context|locales)/" },
      to: { path: "^src/(elements|errors|sign-in|ui)/" },
    },
    {
      name: "texts-stand-alone",
      comment: "texts imports nothing from elsewhere; locales imports texts only.",
      severity: "error",
      from: { path: "^src/(texts|locales)/" },
      to: { pathNot: "^src/texts/" },
    },
    {
      name: "entries-are-on-top",
      comment:
        "Nothing imports define/, react/ or script-tag/ but they themselves; react/ imports define/.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(define|react|script-tag)/" },
      to: { path: "^src/(define|react|script-tag)/" },
    },
    {
      name: "errors-are-for-all",
      comment: "errors imports nothing from signing in, and no element: all of them show errors.",
      severity: "error",
      from: { path: "^src/errors/" },
      to: { path: "^src/(sign-in|elements)/" },
    },
    {
      name: "sign-in-knows-no-element",
      comment: "sign-in imports nothing from an element's folder.",
      severity: "error",
      from: { path: "^src/sign-in/" },
      to: { path: "^src/elements/" },
    },
    {
      name: "ui-knows-no-signing-in",
      comment:
        "ui imports nothing of errors' texts, of signing in, and no element; of the core only errors and URLs.",
      severity: "error",
      from: { path: "^src/ui/" },
      to: {
        path: "^src/(errors|sign-in|elements|core)/",
        pathNot: "^src/core/(oauth/(errors|error-codes|flow-error)|http/[a-z]+)\\.ts$",
        ...VALUES,
      },
    },
    ...["oidc-login", "oidc-callback", "uia-fallback-frame"].map((element) => ({
      name: `${element}-alone`,
      comment: `<${element}> imports nothing from another element's folder.`,
      severity: /** @type {const} */ ("error"),
      from: { path: `^src/elements/${element}/` },
      to: { path: others(element) },
    })),
    {
      name: "uia-dialog-and-its-frame",
      comment: "<uia-dialog> imports of other elements <uia-fallback-frame>, which it contains.",
      severity: "error",
      from: { path: "^src/elements/uia-dialog/" },
      to: { path: others("(uia-dialog|uia-fallback-frame)") },
    },
    {
      name: "loaded-later",
      comment:
        "Before the first paint, what is loaded later is imported by import() only, or for its types.",
      severity: "error",
      from: { path: FIRST },
      to: {
        path: `^src/${LOADED_LATER}`,
        dependencyTypesNot: [...VALUES.dependencyTypesNot, "dynamic-import"],
      },
    },
    {
      name: "elements-load-their-own",
      comment: "Before the first paint, an element loads by import() only its own files.",
      severity: "error",
      from: { path: "^src/elements/([^/]+)/", pathNot: `^src/${LOADED_LATER}` },
      to: { dependencyTypes: ["dynamic-import"], pathNot: "^src/elements/$1/" },
    },
    {
      name: "first-paint-without-core",
      comment:
        "Before the first paint, elements import only types from core, but for its errors and what reads a response.",
      severity: "error",
      from: { path: `^src/${FIRST_PAINT}` },
      to: { path: "^src/core/", pathNot: CORE_AT_FIRST, ...VALUES },
    },
    {
      name: "core-by-the-file",
      comment: "Elements import from core the files that they use, not an index with everything.",
      severity: "error",
      from: { path: "^src/(elements|errors|sign-in|ui)/" },
      to: { path: "^src/core/index\\.ts$", ...VALUES },
    },
    {
      name: "login-without-the-way-back",
      comment: "<oidc-login> loads nothing for completing a login, of sessions or of UIA.",
      severity: "error",
      from: { path: "^src/elements/oidc-login/" },
      to: {
        path: "^src/core/(uia|session|matrix/client|oauth/(code-grant|id-token|device-grant|refresh))",
        ...VALUES,
      },
    },
    {
      name: "uia-without-signing-in",
      comment: "<uia-dialog> and <uia-fallback-frame> load nothing of signing in.",
      severity: "error",
      from: { path: "^src/elements/uia-" },
      to: {
        path: "^src/core/(oauth|session|matrix)/",
        pathNot: "^src/core/matrix/phone-code\\.ts$",
        ...VALUES,
      },
    },
    {
      name: "stage-knows-its-session",
      comment: "A stage's view knows its UiaSession: no InteractiveAuth, no request, no dialog.",
      severity: "error",
      from: { path: "^src/elements/uia-dialog/stages/" },
      to: {
        path: "^src/core/(?!uia/options\\.ts|http/(json|url|this-machine)\\.ts)|/uia-dialog/(?!(options\\.ts|stages/|phone/))",
        ...VALUES,
      },
    },
  ],
  required: [
    {
      name: "elements-without-a-page",
      comment: "An element's own module imports Lit by ui/import-lit.ts, which needs no page.",
      severity: "error",
      module: { path: "^src/elements/([^/]+)/\\1\\.ts$" },
      to: { path: "^src/ui/import-lit\\.ts$" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import"] },
  },
};
