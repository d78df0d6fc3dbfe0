import { Host } from "./host.js";
import type { ReceivedRequest, Reply } from "./network.js";
import type { Endpoint } from "./row.js";

const PATHS: Readonly<Record<string, Endpoint>> = {
  "/.well-known/matrix/client": "well-known",
  "/_matrix/client/v1/auth_metadata": "auth_metadata",
  "/_matrix/client/unstable/org.matrix.msc2965/auth_metadata": "unstable auth_metadata",
  "/_matrix/client/unstable/org.matrix.msc2965/auth_issuer": "auth_issuer",
};

/** A homeserver that delegates to the provider of its environment, and has only the stable endpoint. */
export class Homeserver extends Host {
  endpointOf({ path }: Pick<ReceivedRequest, "path">): Endpoint {
    return PATHS[path] ?? (path.startsWith("/_matrix/client/v3/") ? "api" : "elsewhere");
  }

  protected respond(endpoint: Endpoint, { headers }: ReceivedRequest): Reply {
    const { idp } = this.environment;
    switch (endpoint) {
      case "well-known": {
        const honest = { "m.homeserver": { base_url: this.origin } };
        return { body: this.patched(honest, this.deviation.wellKnown) };
      }
      case "auth_metadata":
        return { body: this.patched(idp.metadata, this.deviation.authMetadata) };
      case "api": {
        const token = headers["authorization"]?.replace(/^Bearer /, "");
        if (!token) return { status: 401, body: { errcode: "M_MISSING_TOKEN" } };
        if (!idp.isGood(token)) return { status: 401, body: { errcode: "M_UNKNOWN_TOKEN" } };
        return { body: { user_id: "@alice:homeserver" } };
      }
      default:
        return { status: 404, body: { errcode: "M_UNRECOGNIZED", error: "Unrecognized request" } };
    }
  }
}
