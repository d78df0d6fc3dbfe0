import type { Bend, Endpoint } from "./bend.js";
import { Homeserver } from "./homeserver.js";
import { Provider } from "./provider.js";
import type { Asked, Handler, Server } from "./server.js";

/** A request that a server of a world got, preflights aside. */
export interface Logged {
  readonly to: "idp" | "other" | "homeserver" | "stranger";
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Everything that was sent: address, headers and body. */
  readonly text: string;
  readonly query: URLSearchParams;
  readonly headers: Asked["headers"];
  readonly body: string;
}

/**
 * The servers of one login, each on an origin of its own, which no other login shares: a homeserver,
 * the provider that it delegates to, and another provider, honest or not.
 */
export interface World {
  readonly idp: Provider;
  readonly other: Provider;
  readonly homeserver: Homeserver;
  /** What the application is at. */
  readonly redirectUri: string;
  readonly port: number;
  readonly requests: readonly Logged[];
  /** The origin of somebody else, at any host and port, who knows no token. */
  stranger(host: string, port?: number): string;
  /** Where every host may be another one than at `port`. */
  readonly otherPort: number;
}

/** The other provider's name looks like the first one's: its last letter is Cyrillic. */
const HOSTS: Readonly<Record<Exclude<Logged["to"], "stranger">, string>> = {
  idp: "idp",
  other: "idр",
  homeserver: "homeserver",
};

/** Would like to be sent a new token. */
const STRANGER: Pick<Provider, "endpointOf" | "handle"> = {
  endpointOf: () => "elsewhere",
  handle: async () => Promise.resolve({ status: 401, body: { errcode: "M_UNKNOWN_TOKEN" } }),
};

let worlds = 0;

export function makeWorld(server: Server, app: string, bend: Bend): World {
  const name = `w${++worlds}`;
  const requests: Logged[] = [];
  const logged =
    (to: Logged["to"], host: () => Pick<Provider, "endpointOf" | "handle">): Handler =>
    (asked) => {
      const { method, query, headers, body } = asked;
      const endpoint = host().endpointOf(asked);
      requests.push({ to, endpoint, method, text: textOf(asked), query, headers, body });
      return host().handle(asked);
    };
  const at = (
    to: keyof typeof HOSTS,
    host: () => Pick<Provider, "endpointOf" | "handle">,
  ): string => server.serve(`${HOSTS[to]}.${name}.localhost`, logged(to, host));
  const idp: Provider = new Provider(
    at("idp", () => idp),
    bend,
    () => world,
  );
  const other: Provider = new Provider(
    at("other", () => other),
    bend.other ?? {},
    () => world,
  );
  const homeserver: Homeserver = new Homeserver(
    at("homeserver", () => homeserver),
    bend,
    () => world,
  );
  const redirectUri = `${app}/callback`;
  const { port, otherPort } = server;
  const stranger: World["stranger"] = (host, at) =>
    server.serve(
      host,
      logged("stranger", () => STRANGER),
      at,
    );
  const world = { idp, other, homeserver, redirectUri, port, otherPort, requests, stranger };
  return world;
}

const textOf = ({ path, query, headers, body }: Asked): string =>
  [path, query.toString(), JSON.stringify(headers), decodeURIComponent(body)].join("\n");
