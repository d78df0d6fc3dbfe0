import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Account, HomeserverUnderTest, Kind, Scenario } from "./homeserver.js";

export const TOKEN = "m.login.registration_token";
export const CAPTCHA = "m.login.recaptcha";
export const TERMS = "m.login.terms";
export const EMAIL = "m.login.email.identity";
export const PHONE = "m.login.msisdn";
export const DUMMY = "m.login.dummy";

/** The response to a request, as a client sees it. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly session?: string;
    readonly completed?: readonly string[];
    readonly flows?: readonly { readonly stages: readonly string[] }[];
    readonly params?: Readonly<Record<string, unknown>>;
    readonly errcode?: string;
    readonly access_token?: string;
  };
}

/** Makes requests to the client-server API, with the token of the signed-in account. */
export type ApiClient = (method: string, path: string, body?: unknown) => Promise<ApiResponse>;

export const apiClient =
  (
    { baseUrl }: Pick<HomeserverUnderTest, "baseUrl">,
    token?: string,
    root = "_matrix/client",
  ): ApiClient =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}/${root}/${path}`, {
      method,
      headers: token ? { Authorization: `Bearer ${token}` } : {},
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const { status, headers } = response;
    return { status, headers, body: (await response.json()) as ApiResponse["body"] };
  };

/** A username that is not taken, even on a homeserver that was used before. */
export const freshName = (): string => `p${randomBytes(6).toString("hex")}`;

export interface SignedInUser extends Account {
  readonly api: ApiClient;
  readonly token: string;
  readonly userId: string;
  readonly deviceId: string;
}

/** Creates an account and signs in to it. */
export async function createSignedInUser(
  server: Pick<HomeserverUnderTest, "baseUrl" | "serverName" | "createAccount">,
): Promise<SignedInUser> {
  const user = freshName();
  const account = { user, password: `${user}-password` };
  await server.createAccount(account);
  return signIn(server, account);
}

export async function signIn(
  server: Pick<HomeserverUnderTest, "baseUrl" | "serverName">,
  account: Account,
  deviceId = "HERE",
): Promise<SignedInUser> {
  const login = { ...passwordLogin(account), device_id: deviceId };
  const { body } = await apiClient(server)("POST", "v3/login", login);
  const token = String(body.access_token);
  const userId = `@${account.user}:${server.serverName}`;
  return { ...account, api: apiClient(server, token), token, userId, deviceId };
}

export const passwordLogin = ({ user, password }: Account) => ({
  type: "m.login.password",
  identifier: { type: "m.id.user", user },
  password,
});

/** The dictionary of a password stage. */
export const passwordAuth = (session: string | undefined, account: Account) => ({
  ...passwordLogin(account),
  session,
});

/** Declares a test, like the function of `node:test`. */
export type Declare = (title: string, test: () => unknown) => void;

/**
 * A suite for one scenario of a homeserver.
 *
 * @param tests Declares the tests with its second parameter: those in which the homeserver differs must fail.
 */
export function within(
  kind: Kind,
  scenario: Scenario,
  tests: (server: () => HomeserverUnderTest, declare: Declare) => void,
): void {
  const declare: Declare = (title, test) => {
    kind.onTest?.(title);
    const difference = kind.differences?.get(title);
    if (difference === undefined) it(title, async () => void (await test()));
    else {
      it(`${kind.name} has ${difference} instead: ${title}`, () =>
        assert.rejects(
          async () => test(),
          ({ actual }: assert.AssertionError) => {
            if (/^\d{3} M_/.test(difference)) assert.deepEqual([actual].flat()[0], difference);
            return true;
          },
        ));
    }
  };
  describe(`${kind.name}, ${scenario}`, { skip: kind.skip(scenario) }, () => {
    let server: HomeserverUnderTest;
    before(async () => void (server = await kind.start(scenario)));
    after(() => server.close());
    tests(() => server, declare);
  });
}

/** The status, and the `errcode` of the body. */
export type Refusal = `${number} M_${string}`;

/** Expects an error response without flows. */
export async function assertRefused(
  request: Promise<ApiResponse>,
  expected: Refusal,
): Promise<void> {
  const { status, body } = await request;
  assert.deepEqual([`${status} ${body.errcode}`, body.flows], [expected, undefined]);
}

/** Expects 401 with flows. @returns the challenge. */
export async function assertChallenged(
  request: Promise<ApiResponse>,
  errcode?: string,
): Promise<ApiResponse["body"]> {
  const { status, body } = await request;
  assert.deepEqual([status, body.errcode, body.flows !== undefined], [401, errcode, true]);
  return body;
}

export type Request = readonly [method: string, path: string, body?: unknown];

/** Registers a test for each request that is always rejected. */
export function refuses(
  declare: Declare,
  client: () => ApiClient,
  rows: readonly (readonly [what: string, request: Request | (() => Request), Refusal])[],
): void {
  for (const [what, request, expected] of rows) {
    declare(`rejects ${what} with ${expected}`, () => {
      const values = typeof request === "function" ? request() : request;
      return assertRefused(client()(...values), expected);
    });
  }
}

/** Numbers that are not assigned: https://www.ofcom.org.uk, "numbers for drama use". */
export const freshNumber = (): string => `07700 900${(lastNumber += 1)}`;
let lastNumber = 100;
