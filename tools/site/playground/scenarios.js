// How the homeserver signs users in, and the stages that it asks for.

/** @typedef {import("../../../dist/testing/index.js").TestServersOptions} Options */

/** @type {Readonly<Record<string, { label: string, login: Options["login"] }>>} */
export const LOGINS = {
  oauth: { label: "OAuth 2.0", login: ["oauth"] },
  legacy: { label: "Single sign-on and password", login: ["sso", "password"] },
  password: { label: "Password", login: ["password"] },
  sso: { label: "Single sign-on", login: ["sso"] },
  all: { label: "OAuth 2.0, single sign-on, password", login: ["oauth", "sso", "password"] },
  none: { label: "No way that these elements know", login: [] },
};

const UNKNOWN = "org.example.unknown";

/**
 * @typedef {object} Stage
 * @property {string} id
 * @property {string} label
 * @property {readonly (readonly string[])[]} flows
 * @property {"device" | "account"} request which request asks for it: most stages belong to creating an account
 */

/** @type {Stage} */
const PASSWORD = {
  id: "password",
  label: "Password",
  flows: [["m.login.password"]],
  request: "device",
};

/** @type {readonly Stage[]} */
export const STAGES = [
  PASSWORD,
  { id: "sso", label: "Single sign-on", flows: [["m.login.sso"]], request: "device" },
  {
    id: "sso-unstable",
    label: "Single sign-on (unstable name)",
    flows: [["org.matrix.login.sso"]],
    request: "device",
  },
  {
    id: "password-or-sso",
    label: "Password, or single sign-on",
    flows: [["m.login.password"], ["m.login.sso"]],
    request: "device",
  },
  { id: "oauth", label: "Approval at the provider", flows: [["m.oauth"]], request: "device" },
  {
    id: "cross-signing-reset",
    label: "Approval at the provider (unstable name)",
    flows: [["org.matrix.cross_signing_reset"]],
    request: "device",
  },
  {
    id: "unknown",
    label: "Password, then an unknown stage",
    flows: [["m.login.password", UNKNOWN]],
    request: "device",
  },
  {
    id: "email",
    label: "Email address",
    flows: [["m.login.email.identity"]],
    request: "account",
  },
  { id: "msisdn", label: "Phone number", flows: [["m.login.msisdn"]], request: "account" },
  { id: "recaptcha", label: "Captcha", flows: [["m.login.recaptcha"]], request: "account" },
  { id: "terms", label: "Terms", flows: [["m.login.terms"]], request: "account" },
  {
    id: "token",
    label: "Registration token",
    flows: [["m.login.registration_token"]],
    request: "account",
  },
  {
    id: "token-unstable",
    label: "Registration token (unstable name)",
    flows: [["org.matrix.msc3231.login.registration_token"]],
    request: "account",
  },
  { id: "dummy", label: "Dummy: nothing to do", flows: [["m.login.dummy"]], request: "account" },
  {
    id: "several",
    label: "Registration token, terms, email, dummy",
    flows: [
      ["m.login.registration_token", "m.login.terms", "m.login.email.identity", "m.login.dummy"],
    ],
    request: "account",
  },
];

/** @param {string} id */
export const stageOf = (id) => STAGES.find((stage) => stage.id === id) ?? PASSWORD;
