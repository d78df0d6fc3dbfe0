/** A homeserver and its provider, answering in place of the network. */
export const HOMESERVER = "https://hs.example";
export const ISSUER = "https://idp.example/";

export const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}authorize`,
  token_endpoint: `${ISSUER}token`,
  revocation_endpoint: `${ISSUER}revoke`,
  registration_endpoint: `${ISSUER}register`,
  response_types_supported: ["code"],
  response_modes_supported: ["query", "fragment"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  prompt_values_supported: ["create"],
};

const { fetch } = window;

export type Answer = (request: Request) => Response | Promise<Response>;

export interface Servers {
  /** By address; what is not here fails as without a network. */
  answers: Record<string, Answer>;
  /** Method and address of each request. */
  readonly requests: string[];
  /** The parsed body of the last registration. */
  registered: Record<string, unknown> | undefined;
}

const json =
  (body: unknown, status = 200): Answer =>
  () =>
    Response.json(body, { status });

/** Takes the place of the network until {@link restoreNetwork}. */
export function scriptServers(): Servers {
  const servers: Servers = {
    requests: [],
    registered: undefined,
    answers: {
      [`${HOMESERVER}/.well-known/matrix/client`]: json({
        "m.homeserver": { base_url: HOMESERVER },
        "m.identity_server": { base_url: "https://is.example" },
      }),
      [`${HOMESERVER}/_matrix/client/v1/auth_metadata`]: json(METADATA),
      [METADATA.registration_endpoint]: async (request) => {
        servers.registered = (await request.json()) as Record<string, unknown>;
        return Response.json({ client_id: "registered" }, { status: 201 });
      },
    },
  };
  window.fetch = async (input, init): Promise<Response> => {
    const request = new Request(input, init);
    // The test runner speaks to its own server.
    if (request.url.startsWith(location.origin)) return fetch(input, init);
    servers.requests.push(`${request.method} ${request.url}`);
    const answer = servers.answers[request.url];
    if (!answer) throw new TypeError("Failed to fetch");
    return answer(request);
  };
  return servers;
}

export function restoreNetwork(): void {
  window.fetch = fetch;
}

export const answerJson = json;

/** An answer that comes when the test says so. */
export function answerLater(body: unknown): { readonly answer: Answer; readonly send: () => void } {
  let send!: () => void;
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return {
    send,
    answer: async () => {
      await sent;
      return Response.json(body);
    },
  };
}
