// Style, and the walls of the house: one rule for each (CONTRIBUTING.md has the map).
import js from "@eslint/js";
import globals from "globals";
import lit from "eslint-plugin-lit";
import litA11y from "eslint-plugin-lit-a11y";
import wc from "eslint-plugin-wc";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** Keeps the files of a folder from importing others; types may pass where the wall says so. */
const wall = (files, rule, patterns, { types = false, ignores = [] } = {}) => ({
  files,
  ignores,
  plugins: { "@typescript-eslint": tseslint.plugin },
  rules: {
    "@typescript-eslint/no-restricted-imports": [
      "error",
      { patterns: [{ regex: patterns, message: rule, allowTypeImports: types }] },
    ],
  },
});

export default defineConfig(
  globalIgnores(["**/dist/", "coverage/", "node_modules/", "test/frameworks/{hot-*,*/readme}/"]),
  js.configs.recommended,
  {
    files: ["src/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/consistent-type-imports": "error",
      // Kept, documented and tested until it goes.
      "@typescript-eslint/no-deprecated": [
        "error",
        { allow: ["discoverAndValidateOIDCIssuerWellKnown"] },
      ],
    },
  },
  {
    files: ["src/**/*.ts"],
    extends: [
      lit.configs["flat/recommended"],
      wc.configs["flat/recommended"],
      litA11y.configs.recommended,
    ],
    rules: {
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "no-console": ["error", { allow: ["warn"] }],
      // Markup comes from Lit's templates alone.
      "no-restricted-properties": [
        "error",
        { property: "innerHTML" },
        { property: "outerHTML" },
        { property: "insertAdjacentHTML" },
      ],
    },
  },
  {
    // Without the rules that need types: chai's assertions are thenables by their types.
    files: ["test/**/*.{ts,tsx}", "demo/**/*.{ts,tsx}"],
    extends: [tseslint.configs.strict],
    rules: {
      "@typescript-eslint/no-unused-expressions": "off",
      "@typescript-eslint/no-dynamic-delete": "off",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["demo/**/*.js", "scripts/**/*.mjs", "bench/**/*.mjs", "test/**/*.mjs", "*.mjs"],
    languageOptions: { globals: globals.node },
  },
  {
    files: [
      "demo/{pages,script-tag}/**/*.js",
      "bench/pages/*.js",
      "test/e2e/pages/*.js",
      "test/interop/*/pages/*.js",
    ],
    languageOptions: { globals: globals.browser },
  },
  wall(
    ["src/core/**"],
    "core imports nothing from outside core.",
    "(elements|events|context|locales)/|^lit|^@lit/",
  ),
  wall(
    ["src/core/http/**"],
    "core/http knows no protocol.",
    "(oidc|session|uia|homeserver|elements|events|context|locales)/|^lit|^@lit/|^oauth4webapi",
  ),
  wall(
    ["src/core/oidc/**"],
    "core/oidc knows neither session, uia nor homeserver.",
    "(session|uia|homeserver|elements|events|context|locales)/|^lit|^@lit/",
  ),
  wall(
    ["src/core/uia/**"],
    "core/uia knows neither oidc, session nor homeserver: a client, and its errors, are known by their shape.",
    "(oidc|session|homeserver|elements|events|context|locales)/|^lit|^@lit/|^oauth4webapi",
  ),
  wall(
    ["src/core/session/**"],
    "core/session uses core/http and core/oidc; oauth4webapi is spoken in core/oidc alone.",
    "(uia|homeserver|elements|events|context|locales)/|^lit|^@lit/|^oauth4webapi",
  ),
  wall(
    ["src/core/homeserver/**"],
    "core/homeserver uses core/http and the metadata of core/oidc; oauth4webapi is spoken in core/oidc alone.",
    "(session|uia)/|oidc/(?!errors|metadata|issuer-discovery|signing-keys)|(elements|events|context|locales)/|^lit|^@lit/|^oauth4webapi",
  ),
  wall(
    ["src/{events,context}/**"],
    "events and context import types alone from core.",
    "core/|elements/",
    { types: true },
  ),
  wall(
    ["src/elements/**"],
    "oauth4webapi is spoken in core/oidc alone; what is loaded later takes of the core what it uses, not all.",
    "^oauth4webapi|core/(index|(oidc|homeserver|uia|session)/index)\\.js$",
    { types: true },
  ),
  wall(
    ["src/elements/oidc-login/**"],
    "What takes the provider's answer is loaded on the way back.",
    "^oauth4webapi|core/index\\.js$|core/(uia|session)/|core/homeserver/(index|homeserver-client)|core/oidc/(index|code-grant|id-token|device-grant|refresh-grant)",
    { types: true },
  ),
  wall(
    ["src/elements/{uia-dialog,uia-fallback-frame}/**"],
    "What proves again who somebody is loads nothing of signing in.",
    "^oauth4webapi|core/index\\.js$|core/(oidc|session)/|core/homeserver/(?!threepid-client)",
    { types: true },
  ),
  wall(
    ["src/elements/**"],
    "What is there before the first paint loads the core when it needs it.",
    "^oauth4webapi|core/(?!oidc/(errors|flow-records|authorization-response)|uia/errors)",
    { types: true, ignores: ["**/lazy/**", "src/elements/optional/**"] },
  ),
  wall(
    ["src/elements/uia-dialog/lazy/stages/**"],
    "A stage's view knows its session and nothing else.",
    "^oauth4webapi|core/(?!uia/auth-type)|(dialog-controller|dialog-view|stage-form|uia-session-provider|session-actions|phone-validation|visibility-poller|uia-dialog|load)\\.js$",
  ),
  wall(
    ["test/**", "demo/**"],
    "Use the package by its public name, as a user does.",
    "\\.\\./(src|dist)/",
  ),
);
