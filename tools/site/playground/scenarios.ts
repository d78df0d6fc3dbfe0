// The homeserver's sign-in methods and stages.
import type { TestServersOptions } from "../../../dist/testing/index.js";

export const LOGINS: Readonly<
  Record<string, { label: string; login: TestServersOptions["login"] }>
> = {
  oauth: { label: "OAuth 2.0", login: ["oauth"] },
  legacy: { label: "Single sign-on and password", login: ["sso", "password"] },
  password: { label: "Password", login: ["password"] },
  sso: { label: "Single sign-on", login: ["sso"] },
  all: { label: "OAuth 2.0, single sign-on, password", login: ["oauth", "sso", "password"] },
  none: { label: "No supported method", login: [] },
};

interface Stage {
  readonly label: string;
  readonly flows: readonly (readonly string[])[];
  /** The request that requires the stage: most stages are for creating an account. */
  readonly request: "device" | "account";
}

const device = (label: string, ...flows: string[][]): Stage => {
  return { label, flows, request: "device" };
};
const account = (label: string, ...flow: string[]): Stage => {
  return { label, flows: [flow], request: "account" };
};

const PASSWORD = device("Password", ["m.login.password"]);
const TOKEN = "m.login.registration_token";
const EMAIL = "m.login.email.identity";

export const STAGES: Readonly<Record<string, Stage>> = {
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

export const stageOf = (id: string) => STAGES[id] ?? PASSWORD;
