import assert from "node:assert/strict";
import { it } from "node:test";
import { CLIENT, REGISTRATIONS, type Members, type Registration } from "./provider.table.js";

/** A running provider. */
export interface ContractProvider {
  /** The discovery document. */
  metadata(): Promise<Members>;
}

export const API = "urn:matrix:client:api:*";
export const scopeOf = (deviceId: string): string => `${API} urn:matrix:client:device:${deviceId}`;
export const SCOPE = scopeOf("ABCDEFGHIJ");
const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
export const REDIRECT_URI = "https://app.example/callback";
/** RFC 7636, appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export async function register(provider: ContractProvider, client: Members): Promise<string> {
  const { status, body } = await send(provider, "registration_endpoint", JSON.stringify(client), {
    "content-type": "application/json",
  });
  return status === 201 ? "registered" : `${status} ${String(body["error"])}`;
}

export async function clientIdOf(
  provider: ContractProvider,
  client: Members = CLIENT,
): Promise<string> {
  const headers = { "content-type": "application/json" };
  const { body } = await send(provider, "registration_endpoint", JSON.stringify(client), headers);
  return String(body["client_id"]);
}

export const askTokens = (
  provider: ContractProvider,
  form: Record<string, string>,
): ReturnType<typeof send> => send(provider, "token_endpoint", new URLSearchParams(form));

export async function send(
  provider: ContractProvider,
  endpoint: string,
  body: string | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Members }> {
  const url = String((await provider.metadata())[endpoint]);
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as Members };
}

/** A refresh with a token that nobody has. */
const REFRESH = { grant_type: "refresh_token", refresh_token: "unknown" };
/**
 * The responses of Matrix Authentication Service to requests without a user.
 *
 * @param exceptions Further registrations.
 */
export function providerContract(
  provider: () => ContractProvider,
  exceptions: readonly Registration[] = [],
): void {
  for (const [title, client, expected] of [...REGISTRATIONS, ...exceptions]) {
    it(`responds "${expected}" to ${title}`, async () => {
      assert.equal(await register(provider(), client), expected);
    });
  }

  it("returns the same client ID for the same metadata, and a new one for other metadata", async () => {
    const clientId = await clientIdOf(provider());
    const inAnotherOrder = Object.fromEntries(Object.entries(CLIENT).reverse());
    assert.equal(await clientIdOf(provider(), inAnotherOrder), clientId);
    assert.notEqual(await clientIdOf(provider(), { ...CLIENT, client_name: "App" }), clientId);
  });

  it("offers no deactivation of the account, and the old names of the devices' actions", async () => {
    const { account_management_actions_supported: actions } = await provider().metadata();
    assert.deepEqual(actions, [
      "org.matrix.profile",
      "org.matrix.devices_list",
      "org.matrix.device_view",
      "org.matrix.device_delete",
      "org.matrix.cross_signing_reset",
      "org.matrix.sessions_list",
      "org.matrix.session_view",
      "org.matrix.session_end",
    ]);
  });

  it("does not announce iss", async () => {
    assert.ok(!("authorization_response_iss_parameter_supported" in (await provider().metadata())));
  });

  for (const [expected, form] of [
    ["400 invalid_grant", { grant_type: "authorization_code", code: "unknown" }],
    ["400 invalid_grant", REFRESH],
    ["400 unsupported_grant_type", { grant_type: "password" }],
    ["401 invalid_client", { ...REFRESH, client_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }],
  ] as const) {
    it(`responds ${expected} to a token request with ${JSON.stringify(form)}`, async () => {
      const client_id = await clientIdOf(provider());
      const given = { code_verifier: VERIFIER, redirect_uri: REDIRECT_URI };
      const { status, body } = await askTokens(provider(), { client_id, ...given, ...form });
      assert.equal(`${status} ${String(body["error"])}`, expected);
    });
  }

  it("responds 403 authorization_pending before a device's code is confirmed", async () => {
    const grant_types = [...CLIENT.grant_types, DEVICE_CODE];
    const client_id = await clientIdOf(provider(), { ...CLIENT, grant_types });
    const started = await send(
      provider(),
      "device_authorization_endpoint",
      new URLSearchParams({ client_id, scope: SCOPE }),
    );
    const { status, body } = await askTokens(provider(), {
      grant_type: DEVICE_CODE,
      client_id,
      device_code: String(started.body["device_code"]),
    });
    assert.equal(`${status} ${String(body["error"])}`, "403 authorization_pending");
  });
}
