// A page with <matrix-login> and a client of matrix-js-sdk, in a browser, and the user's actions on it.
import { setTimeout as delay } from "node:timers/promises";
import { apiClient, freshName, type ApiClient } from "../../contract/api-client.js";
import { waitForTrue, type Tab } from "../../e2e/driver/driver.js";
import { submitPassword, waitForState } from "../../e2e/user-actions.js";
import type { Synapse } from "../synapse/synapse.js";

/** The policy of docs/guides/content-security-policy.md, with the source for WebAssembly. */
export const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http://localhost:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface StoredRecord {
  readonly userId: string;
  readonly deviceId: string;
  readonly tokenResponse: { access_token: string; refresh_token?: string; expires_at: number };
}

const PASSWORD = "a-long-password";

/** Signs in to a Synapse with passwords: as the user that the page shows, or as a new one. */
export async function signInByPassword(tab: Tab, synapse: Synapse): Promise<void> {
  const known = await tab.run<string>("document.querySelector('[name=username]').value");
  if (known === "") {
    const user = freshName();
    await synapse.createAccount({ user, password: PASSWORD });
    await tab.type("matrix-login [name=username]", user);
  }
  await tab.type("matrix-login [name=password]", PASSWORD);
  await tab.click("matrix-login [part=submit]");
}

/** Confirms the dialog's request with the password. */
export const confirmByPassword = (tab: Tab): Promise<void> => submitPassword(tab, PASSWORD);

/** Opens the page again after its token has expired, without a refresh token. This is a soft logout. */
export const expire = (page: ClientPage): Promise<void> =>
  page.reopenWith(async ({ tokenResponse }) => {
    delete tokenResponse.refresh_token;
    while (Date.now() / 1000 < tokenResponse.expires_at) await delay(100);
  });

export class ClientPage {
  readonly tab: Tab;
  readonly #url: string;
  readonly #synapse: Synapse;

  constructor(tab: Tab, url: string, synapse: Synapse) {
    this.tab = tab;
    this.#url = url;
    this.#synapse = synapse;
  }

  /** Opens the page, and enters the homeserver. */
  async open(): Promise<void> {
    await this.tab.goto(this.#url);
    await this.tab.waitFor("matrix-login #homeserver");
    await this.tab.type("matrix-login #homeserver", this.#synapse.serverName);
    await this.waitForLogin();
  }

  waitForLogin(): Promise<void> {
    return waitForState(this.tab, "matrix-login", "ready");
  }

  /** The page's stored session. */
  record(): Promise<StoredRecord> {
    return this.tab.run("JSON.parse(localStorage.getItem('matrix-auth-elements:session'))");
  }

  /** The keys that matrix-js-sdk itself adds to `localStorage`, which contain the user's ID. */
  sdkEntries(): Promise<readonly string[]> {
    return this.tab.run("Object.keys(localStorage).filter((name) => name.startsWith('mxjssdk_'))");
  }

  /** Changes the stored session while no page uses it, and opens the page again. */
  async reopenWith(change: (record: StoredRecord) => void | Promise<void>): Promise<void> {
    await this.tab.goto(new URL("/icon.svg", this.#url).href);
    const record = await this.record();
    await change(record);
    const text = JSON.stringify(JSON.stringify(record));
    await this.tab.run(`localStorage.setItem('matrix-auth-elements:session', ${text})`);
    await this.tab.goto(this.#url);
  }

  /** The homeserver's API, with the page's token. */
  async api(): Promise<ApiClient> {
    return apiClient(this.#synapse, (await this.record()).tokenResponse.access_token);
  }

  /** The user's keys, as other users see them. */
  async publicKeys(): Promise<{ readonly device: unknown; readonly master: unknown }> {
    const { deviceId } = await this.record();
    const of = await this.#queryKeys();
    const device = of("device_keys")[deviceId]?.keys;
    return { device, master: of("master_keys").keys };
  }

  /** Waits for a signature by the homeserver's current key, because earlier keys are sent first. */
  async waitForSignature(): Promise<void> {
    const { userId, deviceId } = await this.record();
    await waitForTrue("the signature of the device", async () => {
      const of = await this.#queryKeys();
      const [signer = ""] = Object.keys(of("self_signing_keys").keys);
      return signer in of("device_keys")[deviceId].signatures[userId];
    });
  }

  async #queryKeys() {
    const { userId } = await this.record();
    const api = await this.api();
    const { body } = await api("POST", "v3/keys/query", { device_keys: { [userId]: [] } });
    return (kind: string) => Object((body[kind] as Record<string, unknown>)[userId]);
  }
}
