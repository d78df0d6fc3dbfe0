import { randomBytes } from "node:crypto";
import { after, before, describe } from "node:test";
import type { HomeserverUnderTest, Kind, Person, Scenario } from "./homeserver.js";

export const TOKEN = "m.login.registration_token";
export const CAPTCHA = "m.login.recaptcha";
export const TERMS = "m.login.terms";
export const EMAIL = "m.login.email.identity";
export const PHONE = "m.login.msisdn";
export const DUMMY = "m.login.dummy";

/** An answer to a request, as a client sees it. */
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
  ({ baseUrl }: Pick<HomeserverUnderTest, "baseUrl">, token?: string): ApiClient =>
  async (method, path, body) => {
    const response = await fetch(`${baseUrl}/_matrix/client/${path}`, {
      method,
      headers: token ? { Authorization: `Bearer ${token}` } : {},
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const { status, headers } = response;
    return { status, headers, body: (await response.json()) as ApiResponse["body"] };
  };

/** Nobody has it yet, on a homeserver that others have used before too. */
export const freshName = (): string => `p${randomBytes(6).toString("hex")}`;

export interface SignedInUser extends Person {
  readonly api: ApiClient;
  readonly token: string;
  readonly userId: string;
  readonly deviceId: string;
}

/** Makes an account and signs it in. */
export async function createSignedInUser(server: HomeserverUnderTest): Promise<SignedInUser> {
  const user = freshName();
  const person = { user, password: `${user}-password` };
  await server.createAccount(person);
  return signIn(server, person);
}

export async function signIn(
  server: Pick<HomeserverUnderTest, "baseUrl" | "serverName">,
  person: Person,
  deviceId = "HERE",
): Promise<SignedInUser> {
  const { body } = await apiClient(server)("POST", "v3/login", {
    ...passwordLogin(person),
    device_id: deviceId,
  });
  const token = String(body.access_token);
  const userId = `@${person.user}:${server.serverName}`;
  return { ...person, api: apiClient(server, token), token, userId, deviceId };
}

export const passwordLogin = ({ user, password }: Person) => ({
  type: "m.login.password",
  identifier: { type: "m.id.user", user },
  password,
});

/** The dictionary of a password stage. */
export const passwordAuth = (session: string | undefined, person: Person) => ({
  ...passwordLogin(person),
  session,
});

/** Asks what the homeserver answers in a scenario; says so where it cannot be asked. */
export function within(
  kind: Kind,
  scenario: Scenario,
  tests: (server: () => HomeserverUnderTest) => void,
): void {
  describe(`${kind.name}, ${scenario}`, { skip: kind.why(scenario) ?? false }, () => {
    let server: HomeserverUnderTest;
    before(async () => {
      server = await kind.start(scenario);
    });
    after(() => server.close());
    tests(() => server);
  });
}

/** What tells one refusal from another: the status, the code, and whether it asks for proof. */
export const refusal = ({ status, body }: ApiResponse) => [
  status,
  body.errcode,
  Boolean(body.flows),
];
