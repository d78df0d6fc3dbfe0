import type { Bend, Endpoint } from "./bend.js";
import { laidOver } from "./provider.js";
import type { Asked, Reply } from "./server.js";
import type { World } from "./world.js";

const PATHS: Readonly<Record<string, Endpoint>> = {
  "/.well-known/matrix/client": "well-known",
  "/_matrix/client/v1/auth_metadata": "auth_metadata",
  "/_matrix/client/unstable/org.matrix.msc2965/auth_metadata": "unstable auth_metadata",
  "/_matrix/client/unstable/org.matrix.msc2965/auth_issuer": "auth_issuer",
};

/** A homeserver that delegates to a world's provider, by the stable endpoint unless it is bent. */
export class Homeserver {
  readonly origin: string;
  readonly #bend: Bend;
  readonly #world: () => World;
  readonly #asked = new Map<Endpoint, number>();

  constructor(origin: string, bend: Bend, world: () => World) {
    this.origin = origin;
    this.#bend = bend;
    this.#world = world;
  }

  endpointOf({ path }: Pick<Asked, "path">): Endpoint {
    return PATHS[path] ?? (path.startsWith("/_matrix/client/v3/") ? "api" : "elsewhere");
  }

  async handle(asked: Asked): Promise<Reply | undefined> {
    const endpoint = this.endpointOf(asked);
    const nth = (this.#asked.get(endpoint) ?? 0) + 1;
    this.#asked.set(endpoint, nth);
    const world = this.#world();
    const honest = async (): Promise<Reply> => this.#answer(endpoint, asked, world);
    const bent = this.#bend.endpoints?.[endpoint];
    return bent ? bent({ ...asked, world, nth, honest }) : honest();
  }

  #answer(endpoint: Endpoint, { headers }: Asked, world: World): Reply {
    if (endpoint === "well-known") {
      const honest = { "m.homeserver": { base_url: this.origin } };
      return { body: laidOver(honest, this.#bend.wellKnown, world) };
    }
    if (endpoint === "auth_metadata") {
      return { body: laidOver(world.idp.metadata, this.#bend.authMetadata, world) };
    }
    if (endpoint === "api") {
      const token = headers.authorization?.replace(/^Bearer /, "");
      if (!token) return { status: 401, body: { errcode: "M_MISSING_TOKEN" } };
      if (!world.idp.isGood(token)) return { status: 401, body: { errcode: "M_UNKNOWN_TOKEN" } };
      return { body: { user_id: "@alice:homeserver" } };
    }
    return { status: 404, body: { errcode: "M_UNRECOGNIZED", error: "Unrecognized request" } };
  }
}
