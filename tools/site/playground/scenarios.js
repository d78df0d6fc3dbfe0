// The homeserver's sign-in methods and stages.

/** @typedef {import("../../../dist/testing/index.js").TestServersOptions} Options */

/** @type {Readonly<Record<string, { label: string, login: Options["login"] }>>} */
export const LOGINS = {
  oauth: { label: "OAuth 2.0", login: ["oauth"] },
  legacy: { label: "Single sign-on and password", login: ["sso", "password"] },
  password: { label: "Password", login: ["password"] },
  sso: { label: "Single sign-on", login: ["sso"] },
  all: { label: "OAuth 2.0, single sign-on, password", login: ["oauth", "sso", "password"] },
  none: { label: "No supported method", login: [] },
};

/**
 * @typedef {object} Stage
 * @property {string} label
 * @property {readonly (readonly string[])[]} flows
 * @property {"device" | "account"} request which request asks for it: most stages belong to creating an account
 */

/** @param {string} label @param {...string[]} flows @returns {Stage} */
const device = (label, ...flows) => ({ label, flows, request: "device" });
/** @param {string} label @param {...string} flow @returns {Stage} */
const account = (label, ...flow) => ({ label, flows: [flow], request: "account" });

const PASSWORD = device("Password", ["m.login.password"]);
const TOKEN = "m.login.registration_token";
const EMAIL = "m.login.email.identity";

/** @type {Readonly<Record<string, Stage>>} */
export const STAGES = {
  password: PASSWORD,
  sso: device("Single sign-on", ["m.login.sso"]),
  "sso-unstable": device("Single sign-on (unstable name)", ["org.matrix.login.sso"]),
  "password-or-sso": device("Password, or single sign-on", ["m.login.password"], ["m.login.sso"]),
  oauth: device("Approval at the provider", ["m.oauth"]),
  "cross-signing-reset": device("Approval at the provider (unstable name)", [
    "org.matrix.cross_signing_reset",
  ]),
  unknown: device("Password, then an unknown stage", ["m.login.password", "org.example.unknown"]),
  email: account("Email address", EMAIL),
  msisdn: account("Phone number", "m.login.msisdn"),
  recaptcha: account("Captcha", "m.login.recaptcha"),
  terms: account("Terms", "m.login.terms"),
  token: account("Registration token", TOKEN),
  "token-unstable": account(
    "Registration token (unstable name)",
    "org.matrix.msc3231.login.registration_token",
  ),
  dummy: account("Dummy: nothing to do", "m.login.dummy"),
  several: account(
    "Registration token, terms, email, dummy",
    ...[TOKEN, "m.login.terms", EMAIL, "m.login.dummy"],
  ),
};

/** @param {string} id */
export const stageOf = (id) => STAGES[id] ?? PASSWORD;
