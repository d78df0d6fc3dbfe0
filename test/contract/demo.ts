import type { UiaSettings } from "matrix-auth-elements/testing";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import type { HomeserverUnderTest, Kind, Scenario } from "./homeserver.js";
import { GOOD_CAPTCHA } from "../interop/synapse/captcha.js";
import { CAPTCHA, DUMMY, EMAIL, PHONE, TERMS, TOKEN } from "./api-client.js";

const SETTINGS: Record<Scenario, Partial<UiaSettings>> = {
  "as it is installed": {},
  "with email and login tokens": {},
  "open to all": { registrationFlows: [[DUMMY]] },
  "behind every gate": {
    registrationFlows: [
      [TOKEN, CAPTCHA, TERMS, DUMMY],
      [TOKEN, CAPTCHA, TERMS, EMAIL],
    ],
  },
  "for a user with an email address": { registrationFlows: [[EMAIL]] },
  "for a user with a phone": { registrationFlows: [[PHONE]] },
  "with limits": {
    registrationFlows: [[DUMMY]],
    attempts: { allowed: 2, windowMs: 2000 },
  },
  "with tokens that soon expire": {},
  "with single sign-on": {},
};

/** A short lifetime of tokens, in milliseconds. */
const SOON = 1000;

export const demo: Kind = {
  name: "matrix-auth-elements/testing",
  skip: () => false,
  async start(scenario): Promise<HomeserverUnderTest> {
    const provider =
      scenario === "with single sign-on"
        ? await startAuthorizationServer({ accounts: createAccounts() })
        : undefined;
    const started = await startHomeserver({
      accounts: [],
      ...(provider && { sso: { provider, name: "Lantern" } }),
      uia: { ...SETTINGS[scenario], captchaResponse: GOOD_CAPTCHA },
    });
    if (scenario === "with tokens that soon expire") {
      Object.assign(started.tokenLifetimes, { refreshable: SOON, other: SOON });
    }
    const { baseUrl, serverName, servers } = started;
    const sentTo = (address: string) =>
      servers.messages.filter((message) => message.address === address);
    return {
      baseUrl,
      serverName,
      createAccount: ({ user, password }) => Promise.resolve(servers.addAccount(user, password)),
      registrationToken: "lantern",
      captcha: GOOD_CAPTCHA,
      mails: (address) => sentTo(address).length,
      linkFor: (address) => Promise.resolve(sentTo(address).at(-1)?.link ?? ""),
      lastCode: () => servers.messages.at(-1)?.code ?? "",
      forgetSessions: () => Promise.resolve(servers.expireUia()),
      setLocked: (user, locked) =>
        Promise.resolve(void Object.assign(servers.account(user) ?? {}, { locked })),
      async close() {
        await Promise.all([started.close(), provider?.close()]);
      },
    };
  },
};
