import { createAccounts } from "../../demo/server/accounts.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import type { HomeserverUnderTest, Kind, Scenario } from "./homeserver.js";
import { GOOD_CAPTCHA } from "../interop/synapse/captcha.js";

type Settings = NonNullable<NonNullable<Parameters<typeof startHomeserver>[0]>["uia"]>;

const TOKEN = "m.login.registration_token";
const CAPTCHA = "m.login.recaptcha";
const TERMS = "m.login.terms";
const EMAIL = "m.login.email.identity";
const account = [["m.login.password"]];

const SETTINGS: Record<Scenario, Settings> = {
  "as it is installed": {},
  "with mail and login tokens": {},
  "open to all": { flows: { register: [["m.login.dummy"]], account } },
  "behind every gate": {
    flows: {
      register: [
        [TOKEN, CAPTCHA, TERMS, "m.login.dummy"],
        [TOKEN, CAPTCHA, TERMS, EMAIL],
      ],
      account,
    },
  },
  "for who has an e-mail address": { flows: { register: [[EMAIL]], account } },
  "for who has a phone": { flows: { register: [["m.login.msisdn"]], account } },
  "with limits": {
    flows: { register: [["m.login.dummy"]], account },
    rateLimit: { allowed: 2, windowMs: 2000 },
  },
};

export const demo: Kind = {
  name: "the demo's homeserver",
  why: () => undefined,
  async start(scenario): Promise<HomeserverUnderTest> {
    const accounts = createAccounts([]);
    const started = await startHomeserver({
      accounts,
      uia: { ...SETTINGS[scenario], captchaResponses: [GOOD_CAPTCHA] },
    });
    const { baseUrl, serverName, outbox, close } = started;
    const sentTo = (address: string) => outbox.filter((message) => message.address === address);
    return {
      baseUrl,
      serverName,
      createAccount: async ({ user, password }) => {
        await accounts.create({ localpart: user, password });
      },
      registrationToken: "lantern",
      captcha: GOOD_CAPTCHA,
      mails: (address) => sentTo(address).length,
      linkFor: (address) => Promise.resolve(sentTo(address).at(-1)?.link ?? ""),
      lastCode: () => outbox.at(-1)?.code ?? "",
      close,
    };
  },
};
