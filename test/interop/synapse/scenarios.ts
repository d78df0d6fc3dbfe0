import { randomBytes } from "node:crypto";
import { apiClient, signIn, type ApiClient } from "../../contract/api-client.js";
import type { HomeserverUnderTest, Scenario } from "../../contract/homeserver.js";
import { GOOD_CAPTCHA, startCaptcha } from "./captcha.js";
import { startMailbox } from "./mailbox.js";
import { startPhoneService } from "./phone.js";
import { startSynapseWithSso } from "./sso-provider.js";
import { DATABASE_ON_DISK, startSynapse, type Synapse } from "./synapse.js";

type Settings = Readonly<Record<string, unknown>>;

/** A registration token for the scenario with every gate. */
const REGISTRATION_TOKEN = "lantern";

/** Starts a Synapse, and its servers for emails, text messages, and captchas. */
export async function startScenario(scenario: Scenario): Promise<HomeserverUnderTest> {
  const [mailbox, captcha, phone] = await Promise.all([
    startMailbox(),
    startCaptcha(),
    startPhoneService(),
  ]);
  const around = { smtpPort: mailbox.port, captcha: captcha.origin, phone: phone.origin };
  const isPlain = scenario === "as it is installed";
  const settings = { ...always(around), ...settingsOf(scenario, around) };
  const synapse =
    scenario === "with single sign-on"
      ? await startSynapseWithSso()
      : await startSynapse(isPlain ? {} : { settings, files: POLICY });
  if (scenario === "behind every gate") await allowToken(synapse);
  return {
    ...synapse,
    registrationToken: REGISTRATION_TOKEN,
    captcha: GOOD_CAPTCHA,
    mails: mailbox.count,
    linkFor: mailbox.linkFor,
    lastCode: phone.lastCode,
    async setLocked(user, locked) {
      const api = await createAdministrator(synapse);
      await api("PUT", `v2/users/@${user}:${synapse.serverName}`, { locked });
    },
    async close() {
      await synapse.close();
      await Promise.all([mailbox.close(), captcha.close(), phone.close()]);
    },
  };
}

interface Around {
  readonly smtpPort: number;
  readonly captcha: string;
  readonly phone: string;
}

const always = ({ smtpPort, phone }: Around): Settings => ({
  email: {
    smtp_host: "localhost",
    smtp_port: smtpPort,
    enable_tls: false,
    notif_from: "Lantern <lantern@hs.example>",
  },
  account_threepid_delegates: { msisdn: phone },
  password_config: { policy: { enabled: true, minimum_length: 8 } },
  login_via_existing_session: { enabled: true },
  enable_registration: true,
});

const SOON = "1s";

/** Low enough that even a slow machine exceeds the limit. */
const FEW = { per_second: 0.2, burst_count: 2 };

function settingsOf(scenario: Scenario, { captcha }: Around): Settings {
  switch (scenario) {
    case "as it is installed":
      return {};
    case "with email and login tokens":
      return { ...DATABASE_ON_DISK, enable_registration: false };
    case "open to all":
      // With an email server, Synapse offers a second flow.
      return { email: undefined, enable_registration_without_verification: true };
    case "behind every gate":
      return {
        ...DATABASE_ON_DISK,
        registration_requires_token: true,
        enable_registration_captcha: true,
        recaptcha_public_key: "public-key",
        recaptcha_private_key: "private-key",
        recaptcha_siteverify_api: `${captcha}/siteverify`,
        user_consent: {
          template_dir: "{data}/consent",
          version: "1.0",
          require_at_registration: true,
          policy_name: "Privacy Policy",
        },
      };
    case "for a user with an email address":
      return { registrations_require_3pid: ["email"] };
    case "for a user with a phone":
      return { registrations_require_3pid: ["msisdn"] };
    case "with limits":
      return {
        enable_registration_without_verification: true,
        rc_registration: FEW,
        rc_3pid_validation: FEW,
        rc_login: { address: FEW, account: FEW, failed_attempts: FEW },
      };
    case "with tokens that soon expire":
      return {
        enable_registration: false,
        refreshable_access_token_lifetime: SOON,
        nonrefreshable_access_token_lifetime: SOON,
      };
    case "with single sign-on":
      return {};
  }
}

const POLICY = {
  "consent/en/1.0.html": "<!doctype html><title>Privacy Policy</title><p>Nothing is kept.</p>",
  "consent/en/success.html": "<!doctype html><title>Thank you</title><p>You agreed.</p>",
};

async function allowToken(synapse: Synapse): Promise<void> {
  const api = await createAdministrator(synapse);
  await api("POST", "v1/registration_tokens/new", { token: REGISTRATION_TOKEN });
}

/** Creates an administrator. @returns A client of the administrators' API. */
export async function createAdministrator(synapse: Synapse): Promise<ApiClient> {
  const user = `administrator-${randomBytes(4).toString("hex")}`;
  const account = { user, password: "administrator-password" };
  await synapse.createAccount({ ...account, admin: true });
  const { token } = await signIn(synapse, account);
  const api = apiClient(synapse, token, "_synapse/admin");
  return async (...request) => {
    const response = await api(...request);
    if (response.status >= 400) throw new Error(JSON.stringify(response.body));
    return response;
  };
}
