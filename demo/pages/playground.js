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

/** The account flows that the homeserver supports. */
const ACCOUNT_FLOWS = {
  "the password": [[PASSWORD]],
  "single sign-on": [[SSO]],
  "the password or single sign-on": [[PASSWORD], [SSO]],
  "the password, then an unknown stage": [[PASSWORD, "org.example.unknown"]],
  "the password, then a dummy stage": [[PASSWORD, DUMMY]],
};
const REGISTER_FLOWS = {
  "token, captcha, terms, optionally email": [
    [TOKEN, CAPTCHA, TERMS, DUMMY],
    [TOKEN, CAPTCHA, TERMS, EMAIL, DUMMY],
  ],
  "an email address": [[EMAIL]],
  "a phone number": [[PHONE]],
  "an email address and a phone number": [[EMAIL, PHONE]],
  "a token": [[TOKEN]],
  "the terms": [[TERMS]],
  "a dummy stage": [[DUMMY]],
};

const CONTROLS = `
  <summary>Playground: the homeserver's requirements</summary>
  <label for="account-flow">To change an account</label>
  <select id="account-flow"></select>
  <label for="register-flow">To create an account</label>
  <select id="register-flow"></select>
  <label class="choice"><input id="rate-limit" type="checkbox" /> Two attempts in ten seconds</label>
  <label class="choice">
    <input id="silent" type="checkbox" /> Fallback pages do not report that they are done
  </label>
  <label class="choice">
    <input id="coop" type="checkbox" /> Fallback pages send Cross-Origin-Opener-Policy
  </label>
  <p>
    Messages that the homeserver sends are in its <a id="outbox" target="_blank">outbox</a>.
    <button id="expire" type="button">Expire all sessions</button>
  </p>
  <ol id="log" class="log" aria-live="off"></ol>`;

const control = async (path, init) => (await fetch(`${baseUrl}/_demo/${path}`, init)).json();

/** Lets the user choose the stages of the demo's homeserver, and logs the elements' events. */
export async function setUpPlayground(...elements) {
  document.querySelector("#playground").innerHTML = CONTROLS;
  logEvents(elements, document.querySelector("#log"));
  document.querySelector("#outbox").href = `${baseUrl}/outbox`;
  document.querySelector("#expire").addEventListener("click", () => {
    void control("expire", { method: "POST" });
  });
  const settings = await control("uia");
  offer("#account-flow", ACCOUNT_FLOWS, settings, "flows");
  offer("#register-flow", REGISTER_FLOWS, settings, "registrationFlows");
  toggle("#rate-limit", settings, "attempts", { allowed: 2, windowMs: 10_000 }, null);
  toggle("#silent", settings, "silent", true, false);
  toggle("#coop", settings, "coop", true, false);
}

const change = (settings) => control("uia", { method: "PUT", body: JSON.stringify(settings) });

function toggle(selector, settings, name, on, off) {
  const box = document.querySelector(selector);
  box.checked = Boolean(settings[name]);
  box.addEventListener("change", () => void change({ [name]: box.checked ? on : off }));
}

function offer(selector, choices, settings, setting) {
  const select = document.querySelector(selector);
  for (const [name, flows] of Object.entries(choices)) {
    const chosen = JSON.stringify(flows) === JSON.stringify(settings[setting]);
    select.add(new Option(name, name, chosen, chosen));
  }
  select.addEventListener("change", () => {
    void change({ [setting]: choices[select.value] });
  });
}
