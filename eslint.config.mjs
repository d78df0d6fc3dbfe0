// Style. The walls of the house are in .dependency-cruiser.mjs.
import js from "@eslint/js";
import globals from "globals";
import lit from "eslint-plugin-lit";
import litA11y from "eslint-plugin-lit-a11y";
import wc from "eslint-plugin-wc";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  globalIgnores([
    "**/{dist,.svelte-kit,.nuxt,.output,.next,.astro}/",
    "demo/next/next-env.d.ts",
    "coverage/",
    "tools/site/.vitepress/{.temp,cache}/",
    "node_modules/",
    // What test/frameworks/contract-page.table.mjs and test-runners.test.ts write.
    "test/frameworks/**/{Contract.*,contract-page.ts}",
    "test/frameworks/test-runners/documented/",
  ]),
  js.configs.recommended,
  {
    files: ["src/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": "off",
      // Types like those of an enum's members.
      "@typescript-eslint/no-namespace": ["error", { allowDeclarations: true }],
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
    files: ["src/**/*.ts"],
    ignores: ["src/{node,testing}/**", "src/core/http/json.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "MemberExpression[object.name='JSON'][property.name='stringify']",
          message:
            "Use toJson(): a script library of the page might have a toJSON() for all arrays.",
        },
        {
          selector: "TemplateElement[value.raw=/<input[^>]*type=.checkbox/]",
          message: "Use type=${checkbox(…)}, which brings the checkbox's styles.",
        },
      ],
    },
  },
  {
    // Without the rules that need types: chai's assertions are thenables by their types.
    files: ["{test,demo,tools}/**/*.{ts,tsx}"],
    extends: [tseslint.configs.strict],
    rules: {
      "@typescript-eslint/no-unused-expressions": "off",
      "@typescript-eslint/no-dynamic-delete": "off",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_" }],
    },
  },
  {
    files: [
      "bin/*.js",
      "demo/**/*.js",
      "scripts/**/*.mjs",
      "tools/**/*.mjs",
      "test/**/*.mjs",
      "*.mjs",
    ],
    languageOptions: { globals: globals.node },
  },
  {
    files: [
      "bin/page.js",
      "demo/{pages,script-tag}/**/*.js",
      "tools/bench/pages/*.js",
      "test/e2e/pages/*.js",
      "test/interop/*/pages/*.js",
    ],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ["test/e2e/pages/*-worker.js"],
    languageOptions: {
      globals: { ...globals.serviceworker, MatrixAuthElements: "readonly" },
    },
  },
  {
    files: ["test/**", "demo/**"],
    plugins: { "@typescript-eslint": tseslint.plugin },
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: "\\.\\./(src|dist)/",
              message: "Use the package by its public name, as a user does.",
            },
          ],
        },
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector: "Property[key.name='timeout'] > Literal",
          message: "Use SUITE or WAIT_MS of test/support/wait-for.mjs: a machine can be very busy.",
        },
        ...[
          "CallExpression[callee.name='aTimeout'][arguments.0.value!=0]",
          "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout'][arguments.length>1]",
        ].map((selector) => ({
          selector,
          message:
            "Wait for a condition, with a Clock, or with untilQuiet(). See test/support/real-pause.ts.",
        })),
      ],
    },
  },
);
