import { startHomeserver } from "../../demo/server/homeserver.js";

/** An answer to a request, as a client sees it. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly session?: string;
    readonly completed?: readonly string[];
    readonly flows?: readonly { readonly stages: readonly string[] }[];
    readonly params?: Readonly<Record<string, unknown>>;
    readonly errcode?: string;
  };
}

/** What the contract asks of a homeserver under test, so that it can be asked of any. */
export interface HomeserverUnderTest {
  readonly baseUrl: string;
  readonly serverName: string;
  /** Two accounts that can sign in. */
  readonly people: readonly [Person, Person];
  /** A token that opens registration. */
  readonly registrationToken: string;
  /** What it asks for to make an account. */
  setRegisterFlows(flows: string[][]): void;
  forgetSessions(): Promise<void>;
  /** The link of the last message that it sent. */
  lastLink(): string;
  lastCode(): string;
  close(): Promise<void>;
}

export interface Person {
  readonly user: string;
  readonly password: string;
}

/** The demo's own. */
export async function startDemoHomeserver(): Promise<HomeserverUnderTest> {
  const started = await startHomeserver();
  return {
    baseUrl: started.baseUrl,
    serverName: started.serverName,
    people: [
      { user: "alice", password: "alice-demo-password" },
      { user: "bob", password: "bob-demo-password" },
    ],
    registrationToken: "lantern",
    setRegisterFlows: (flows) => void (started.uia.flows.register = flows),
    forgetSessions: async () => {
      await fetch(`${started.baseUrl}/_demo/expire`, { method: "POST" });
    },
    lastLink: () => started.outbox.at(-1)?.link ?? "",
    lastCode: () => started.outbox.at(-1)?.code ?? "",
    close: started.close,
  };
}

/** Makes requests of the client-server API, with the token of whoever is signed in. */
export function clientOf({ baseUrl }: HomeserverUnderTest, token?: string) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${baseUrl}/_matrix/client/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };
}

export async function signIn(server: HomeserverUnderTest, { user, password }: Person) {
  const { body } = await clientOf(server)("POST", "v3/login", {
    type: "m.login.password",
    identifier: { type: "m.id.user", user },
    password,
  });
  return clientOf(server, String(body["access_token"]));
}

/** The dictionary of a password stage. */
export const passwordAuth = (session: string | undefined, { user, password }: Person) => ({
  type: "m.login.password",
  session,
  identifier: { type: "m.id.user", user },
  password,
});
