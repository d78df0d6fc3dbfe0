import { randomBytes } from "node:crypto";
import { startCaptcha } from "./captcha.js";
import { startMailbox, type Mailbox } from "./mailbox.js";
import { startPhoneService } from "./phone.js";
import { startSynapse, type Synapse, type SynapseOptions } from "./synapse.js";

/** What a Synapse is set to ask for. */
export type Gates = "none" | "dummy" | "all" | "email" | "phone" | "limits";

/** A Synapse, and what it needs around it to send mail and text messages and to check a captcha. */
export interface Surrounded {
  readonly synapse: Synapse;
  readonly mailbox: Mailbox;
  /** The code of the last text message. */
  lastCode(): string;
  close(): Promise<void>;
}

/** A token that opens registration where all gates are closed. */
export const REGISTRATION_TOKEN = "lantern";

/** @param more Settings over those. */
export async function startSurrounded(
  gates: Gates,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Surrounded> {
  const [mailbox, captcha, phone] = await Promise.all([
    startMailbox(),
    startCaptcha(),
    startPhoneService(),
  ]);
  const around = { smtpPort: mailbox.port, captcha: captcha.origin, phone: phone.origin };
  const synapse = await startSynapse({
    settings: { ...settingsOf(gates, around), ...more },
    files: POLICY,
  });
  if (gates === "all") await allowToken(synapse);
  return {
    synapse,
    mailbox,
    lastCode: phone.lastCode,
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

function settingsOf(
  gates: Gates,
  { smtpPort, captcha, phone }: Around,
): NonNullable<SynapseOptions["settings"]> {
  const always = {
    email: {
      smtp_host: "localhost",
      smtp_port: smtpPort,
      enable_tls: false,
      notif_from: "Lantern <lantern@hs.example>",
    },
    account_threepid_delegates: { msisdn: phone },
    password_config: { policy: { enabled: true, minimum_length: 8 } },
    login_via_existing_session: { enabled: true },
    enable_registration: gates !== "none",
  };
  switch (gates) {
    case "none":
      return always;
    case "dummy":
      // With mail Synapse offers a second flow.
      return { ...always, email: undefined, enable_registration_without_verification: true };
    case "all":
      return {
        ...always,
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
    case "email":
    case "phone":
      return { ...always, registrations_require_3pid: [gates === "email" ? "email" : "msisdn"] };
    case "limits":
      return {
        ...always,
        enable_registration_without_verification: true,
        rc_registration: FEW,
        rc_3pid_validation: FEW,
        rc_login: { address: FEW, account: FEW, failed_attempts: FEW },
      };
  }
}

/** Few enough for a slow machine to ask too often. */
const FEW = { per_second: 0.2, burst_count: 2 };

const POLICY = {
  "consent/en/1.0.html": "<!doctype html><title>Privacy Policy</title><p>Nothing is kept.</p>",
  "consent/en/success.html": "<!doctype html><title>Thank you</title><p>You agreed.</p>",
};

async function allowToken(synapse: Synapse): Promise<void> {
  const ask = await administratorOf(synapse);
  await ask("POST", "v1/registration_tokens/new", { token: REGISTRATION_TOKEN });
}

/** Makes an administrator, and gives what asks for something of the administrator's API with their token. */
export async function administratorOf({
  createAccount,
  baseUrl,
}: Synapse): Promise<(method: string, path: string, body: object) => Promise<unknown>> {
  const user = `administrator-${randomBytes(4).toString("hex")}`;
  const password = "administrator-password";
  await createAccount({ user, password, admin: true });
  const ask = async (method: string, path: string, body: object, token?: string) => {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const response = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json() as Promise<unknown>;
  };
  const { access_token } = (await ask("POST", "/_matrix/client/v3/login", {
    type: "m.login.password",
    identifier: { type: "m.id.user", user },
    password,
  })) as { access_token: string };
  return (method, path, body) => ask(method, `/_synapse/admin/${path}`, body, access_token);
}
