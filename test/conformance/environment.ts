import { Homeserver } from "./homeserver.js";
import type { Handler, Network, ReceivedRequest } from "./network.js";
import { Provider } from "./provider.js";
import type { Deviation, Endpoint } from "./row.js";

/** A request to one of the servers, preflights aside. */
export interface LoggedRequest {
  readonly to: "idp" | "other" | "homeserver" | "stranger";
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Everything that was sent: URL, headers and body. */
  readonly text: string;
  readonly query: URLSearchParams;
  readonly headers: ReceivedRequest["headers"];
  readonly body: string;
}

/**
 * The servers of one sign-in, each on its own origin, which no other sign-in shares: a homeserver,
 * the provider that it delegates to, and another provider, honest or not.
 */
export interface Environment {
  readonly idp: Provider;
  readonly other: Provider;
  readonly homeserver: Homeserver;
  /** The app's callback URL. */
  readonly redirectUri: string;
  readonly port: number;
  readonly requests: readonly LoggedRequest[];
  /** The origin of another server, at any host and port, that must not get a token. */
  stranger(host: string, port?: number): string;
  /** A second port, on which each host can be another server. */
  readonly otherPort: number;
}

/** The other provider's name looks like the first one's: its last letter is Cyrillic. */
const HOSTS: Readonly<Record<Exclude<LoggedRequest["to"], "stranger">, string>> = {
  idp: "idp",
  other: "idр",
  homeserver: "homeserver",
};

/** A server that asks for a new token. */
const STRANGER: Pick<Provider, "endpointOf" | "handle"> = {
  endpointOf: () => "elsewhere",
  handle: async () => Promise.resolve({ status: 401, body: { errcode: "M_UNKNOWN_TOKEN" } }),
};

let environments = 0;

export function createEnvironment(
  network: Network,
  app: string,
  deviation: Deviation,
): Environment {
  const name = `e${++environments}`;
  const requests: LoggedRequest[] = [];
  const logged =
    (to: LoggedRequest["to"], host: () => Pick<Provider, "endpointOf" | "handle">): Handler =>
    (request) => {
      const { method, query, headers, body } = request;
      const endpoint = host().endpointOf(request);
      requests.push({ to, endpoint, method, text: textOf(request), query, headers, body });
      return host().handle(request);
    };
  const at = (
    to: keyof typeof HOSTS,
    host: () => Pick<Provider, "endpointOf" | "handle">,
  ): string => network.serve(`${HOSTS[to]}.${name}.localhost`, logged(to, host));
  const idp: Provider = new Provider(
    at("idp", () => idp),
    deviation,
    () => environment,
  );
  const other: Provider = new Provider(
    at("other", () => other),
    deviation.other ?? {},
    () => environment,
  );
  const homeserver: Homeserver = new Homeserver(
    at("homeserver", () => homeserver),
    deviation,
    () => environment,
  );
  const redirectUri = `${app}/callback`;
  const { port, otherPort } = network;
  const stranger: Environment["stranger"] = (host, at) =>
    network.serve(
      host,
      logged("stranger", () => STRANGER),
      at,
    );
  const environment = { idp, other, homeserver, redirectUri, port, otherPort, requests, stranger };
  return environment;
}

const textOf = ({ path, query, headers, body }: ReceivedRequest): string =>
  [path, query.toString(), JSON.stringify(headers), decodeURIComponent(body)].join("\n");
