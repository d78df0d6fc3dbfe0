import { logEvents } from "./event-log.js";
import { baseUrl } from "./password-session.js";

const PASSWORD = "m.login.password";
const EMAIL = "m.login.email.identity";
const PHONE = "m.login.msisdn";
const TOKEN = "m.login.registration_token";
const CAPTCHA = "m.login.recaptcha";
const TERMS = "m.login.terms";
const SSO = "m.login.sso";
const DUMMY = "m.login.dummy";

/** What the homeserver can be set to ask for. */
const ACCOUNT_FLOWS = {
  "the password": [[PASSWORD]],
  "another sign-in (SSO)": [[SSO]],
  "the password or another sign-in": [[PASSWORD], [SSO]],
  "the password, then a page of its own": [[PASSWORD, "org.example.unknown"]],
  "the password, then nothing much": [[PASSWORD, DUMMY]],
};
const REGISTER_FLOWS = {
  "token, captcha, terms, perhaps e-mail": [
    [TOKEN, CAPTCHA, TERMS, DUMMY],
    [TOKEN, CAPTCHA, TERMS, EMAIL, DUMMY],
  ],
  "an e-mail address": [[EMAIL]],
  "a phone number": [[PHONE]],
  "an e-mail address and a phone number": [[EMAIL, PHONE]],
  "a token": [[TOKEN]],
  "the terms": [[TERMS]],
  "nothing much": [[DUMMY]],
};

const control = async (path, init) => (await fetch(`${baseUrl}/_demo/${path}`, init)).json();

/** Lets a person choose what the homeserver asks for. */
export async function setUpWorkshop(dialog) {
  logEvents([dialog], document.querySelector("#log"));
  document.querySelector("#outbox").href = `${baseUrl}/outbox`;
  document.querySelector("#expire").addEventListener("click", () => {
    void control("expire", { method: "POST" });
  });
  const settings = await control("uia");
  const { flows } = settings;
  offer("#account-flow", ACCOUNT_FLOWS, flows.account, (account) => ({ account }));
  offer("#register-flow", REGISTER_FLOWS, flows.register, (register) => ({ register }));
  toggle("#rate-limit", settings, "rateLimit", { allowed: 2, windowMs: 10_000 }, null);
  toggle("#silent", settings, "silent", true, false);
  toggle("#coop", settings, "coop", "same-origin", null);
}

const change = (settings) => control("uia", { method: "PUT", body: JSON.stringify(settings) });

function toggle(selector, settings, name, on, off) {
  const box = document.querySelector(selector);
  box.checked = Boolean(settings[name]);
  box.addEventListener("change", () => void change({ [name]: box.checked ? on : off }));
}

function offer(selector, choices, present, wanted) {
  const select = document.querySelector(selector);
  for (const [name, flows] of Object.entries(choices)) {
    const chosen = JSON.stringify(flows) === JSON.stringify(present);
    select.add(new Option(name, name, chosen, chosen));
  }
  select.addEventListener("change", () => {
    void change({ flows: wanted(choices[select.value]) });
  });
}
