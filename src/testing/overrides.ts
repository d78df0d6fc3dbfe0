import type { TestRequest } from "./exchange.js";

/** Responds to a request; undefined: the servers respond as usual. */
export type Override = (
  request: TestRequest,
) => Response | undefined | Promise<Response | undefined>;

export interface OverrideOptions {
  /** How many requests it is for. Default: 1. */
  readonly times?: number | undefined;
}

/** Responses instead of the servers' own; newer ones come first. */
export class Overrides {
  readonly #list: { endpoint: string; respond: Override; left: number }[] = [];

  /**
   * @param endpoint The end of a path, after a method if only that is meant: `POST /login`, `/token`, or the empty
   *   string for every request.
   */
  add(endpoint: string, respond: Override, { times = 1 }: OverrideOptions = {}): () => void {
    const added = { endpoint, respond, left: times };
    this.#list.unshift(added);
    return () => (added.left = 0);
  }

  clear(): void {
    this.#list.length = 0;
  }

  async respond(request: TestRequest): Promise<Response | undefined> {
    const found = this.#list.find(
      ({ endpoint, left }) => left > 0 && isOverridden(endpoint, request),
    );
    if (!found) return undefined;
    found.left -= 1;
    return found.respond(request);
  }
}

function isOverridden(endpoint: string, { method, url }: TestRequest): boolean {
  const [path = "", wanted = method] = endpoint.split(" ").reverse();
  return wanted === method && new URL(url).pathname.endsWith(path);
}
