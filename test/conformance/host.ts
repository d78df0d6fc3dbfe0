import type { Environment } from "./environment.js";
import type { ReceivedRequest, Reply } from "./network.js";
import type { Deviation, Endpoint, Members, Patch } from "./row.js";

/** An honest server, whose responses a row's deviation patches or replaces. */
export abstract class Host {
  readonly origin: string;
  protected readonly deviation: Deviation;
  readonly #environment: () => Environment;
  readonly #counts = new Map<Endpoint, number>();

  constructor(origin: string, deviation: Deviation, environment: () => Environment) {
    this.origin = origin;
    this.deviation = deviation;
    this.#environment = environment;
  }

  protected get environment(): Environment {
    return this.#environment();
  }

  abstract endpointOf(request: ReceivedRequest): Endpoint;

  /** The honest response to the nth request to an endpoint. */
  protected abstract respond(
    endpoint: Endpoint,
    request: ReceivedRequest,
    nth: number,
  ): Reply | Promise<Reply>;

  async handle(request: ReceivedRequest): Promise<Reply> {
    const endpoint = this.endpointOf(request);
    const nth = (this.#counts.get(endpoint) ?? 0) + 1;
    this.#counts.set(endpoint, nth);
    const honest = async (): Promise<Reply> => this.respond(endpoint, request, nth);
    const responder = this.deviation.endpoints?.[endpoint];
    return responder
      ? responder({ ...request, environment: this.environment, nth, honest })
      : honest();
  }

  protected patched(honest: Members, patch: Patch | undefined): Members {
    const members = typeof patch === "function" ? patch(this.environment, honest) : patch;
    return { ...honest, ...members };
  }
}
