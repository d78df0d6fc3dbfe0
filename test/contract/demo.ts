import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import type { HomeserverUnderTest, Kind, Scenario } from "./homeserver.js";
import { GOOD_CAPTCHA } from "../interop/synapse/captcha.js";
import { CAPTCHA, DUMMY, EMAIL, PHONE, TERMS, TOKEN } from "./api-client.js";

type Settings = NonNullable<NonNullable<Parameters<typeof startHomeserver>[0]>["uia"]>;

const account = [["m.login.password"]];

const SETTINGS: Record<Scenario, Settings> = {
  "as it is installed": {},
  "with mail and login tokens": {},
  "open to all": { flows: { register: [[DUMMY]], account } },
  "behind every gate": {
    flows: {
      register: [
        [TOKEN, CAPTCHA, TERMS, DUMMY],
        [TOKEN, CAPTCHA, TERMS, EMAIL],
      ],
      account,
    },
  },
  "for who has an e-mail address": { flows: { register: [[EMAIL]], account } },
  "for who has a phone": { flows: { register: [[PHONE]], account } },
  "with limits": {
    flows: { register: [[DUMMY]], account },
    rateLimit: { allowed: 2, windowMs: 2000 },
  },
  "with tokens that soon expire": {},
  "with single sign-on": {},
};

/** Milliseconds. */
const SOON = 1000;

export const demo: Kind = {
  name: "the demo's homeserver",
  skip: () => false,
  async start(scenario): Promise<HomeserverUnderTest> {
    const accounts = createAccounts([]);
    const provider =
      scenario === "with single sign-on"
        ? await startAuthorizationServer({ accounts: createAccounts() })
        : undefined;
    const started = await startHomeserver({
      accounts,
      ...(provider && { sso: { provider, name: "Lantern" } }),
      ...(scenario === "with tokens that soon expire" && {
        tokenLifetimes: { refreshable: SOON, other: SOON },
      }),
      uia: { ...SETTINGS[scenario], captchaResponses: [GOOD_CAPTCHA] },
    });
    const { baseUrl, serverName, outbox } = started;
    const sentTo = (address: string) => outbox.filter((message) => message.address === address);
    return {
      baseUrl,
      serverName,
      createAccount: ({ user, password }) => accounts.create({ localpart: user, password }),
      registrationToken: "lantern",
      captcha: GOOD_CAPTCHA,
      mails: (address) => sentTo(address).length,
      linkFor: (address) => Promise.resolve(sentTo(address).at(-1)?.link ?? ""),
      lastCode: () => outbox.at(-1)?.code ?? "",
      forgetSessions: async () => void (await fetch(`${baseUrl}/_demo/expire`, { method: "POST" })),
      setLocked(user, locked) {
        accounts.setLocked(user, locked);
        return Promise.resolve();
      },
      async close() {
        await Promise.all([started.close(), provider?.close()]);
      },
    };
  },
};
