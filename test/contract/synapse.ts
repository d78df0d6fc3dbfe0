import { GOOD_CAPTCHA } from "../interop/synapse/captcha.js";
import { REGISTRATION_TOKEN, startSurrounded, type Gates } from "../interop/synapse/scenarios.js";
import { isForeign, startSynapse } from "../interop/synapse/synapse.js";
import type { HomeserverUnderTest, Kind, Person, Scenario } from "./homeserver.js";

const GATES: Record<Exclude<Scenario, "as it is installed">, Gates> = {
  "with mail and login tokens": "none",
  "open to all": "dummy",
  "behind every gate": "all",
  "for who has an e-mail address": "email",
  "for who has a phone": "phone",
  "with limits": "limits",
};

export const synapse: Kind = {
  name: "Synapse",
  why: (scenario) =>
    isForeign && scenario !== "as it is installed"
      ? "SYNAPSE_URL names a Synapse whose settings are not the tests' to make"
      : undefined,

  async start(scenario): Promise<HomeserverUnderTest> {
    if (scenario === "as it is installed") {
      const started = await startSynapse();
      const none = (): never => {
        throw new Error("Nothing is sent in this scenario");
      };
      return {
        ...started,
        createAccount: async (person) => void (await started.createAccount(person)),
        registrationToken: "",
        captcha: "",
        mails: none,
        linkFor: none,
        lastCode: none,
      };
    }
    const { synapse: started, mailbox, lastCode, close } = await startSurrounded(GATES[scenario]);
    return {
      baseUrl: started.baseUrl,
      serverName: started.serverName,
      createAccount: async (person: Person) => void (await started.createAccount(person)),
      registrationToken: REGISTRATION_TOKEN,
      captcha: GOOD_CAPTCHA,
      mails: mailbox.count,
      linkFor: mailbox.linkFor,
      lastCode,
      close,
    };
  },
};
