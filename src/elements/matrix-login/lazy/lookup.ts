import type { LoginFlows, RequestOptions } from "../../../core/index.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { fetchLoginFlows, parseLoginFlows } from "../../../core/matrix/login-flows.js";
import { findProvider } from "../../../core/matrix/provider.js";
import { OidcError, OidcFlowError } from "../../../core/oauth/errors.js";
import { MatrixLoginHomeserverEvent } from "../../../events/matrix-login.js";
import { understood } from "../../../sign-in/lazy/homeserver.js";
import { loadSession } from "../../../sign-in/session-attributes.js";
import { whenIdle } from "../../../ui/page.js";
import type { LoginTarget } from "../../oidc-login/lazy/settings.js";
import { type LoginMethod, type MatrixLoginHost, readMethods } from "./settings.js";

export interface FoundHomeserver {
  /** As it was typed or set, as browsers read it: its name in ASCII, without a slash at its end. */
  readonly homeserver: string;
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
  readonly methods: readonly LoginMethod[];
  readonly target: LoginTarget | undefined;
  readonly flows: LoginFlows;
}

/**
 * Finds out how one can sign in at a homeserver: by its well-known file, then its metadata and its
 * legacy API side by side.
 *
 * @param wanted What the page offers, in its order; undefined: everything.
 * @throws {OidcFlowError} what the discovery throws; only a homeserver that says so has no OAuth
 *   2.0.
 * @throws {LoginError} `login_not_supported`
 */
export async function findMethods(
  homeserver: string,
  wanted: readonly LoginMethod[] | undefined,
  options: RequestOptions,
): Promise<FoundHomeserver> {
  const { metadata: requested, ...found } = await findProvider(
    { homeserver },
    { ...options, strict: true },
  );
  const [metadata, flows] = await Promise.all([
    requested.catch(unlessNone),
    fetchLoginFlows(found.homeserverUrl, options)
      .then((value) => ({ value }))
      .catch((error: unknown) => ({ error })),
  ]);
  // With OAuth 2.0 nothing else is needed.
  if ("error" in flows && !metadata) throw flows.error;
  const listed = "error" in flows ? parseLoginFlows({}) : flows.value;
  const methods = offered(metadata !== undefined, listed, wanted);
  if (methods.length === 0) {
    throw new LoginError(
      "login_not_supported",
      "The homeserver supports no sign-in method of this page",
    );
  }
  const target = metadata && { foundAt: Date.now(), ...found, metadata };
  return { ...found, homeserver: understood(homeserver), methods, target, flows: listed };
}

function unlessNone(error: unknown): undefined {
  if (error instanceof OidcFlowError && error.code === "oidc_not_supported") return undefined;
  throw error;
}

/**
 * Where there is OAuth 2.0, the legacy ways are offered only to a page that names them.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#oauth-20-aware-clients
 */
function offered(
  hasOAuth: boolean,
  { oauthAwarePreferred, password, sso }: LoginFlows,
  wanted: readonly LoginMethod[] | undefined,
): readonly LoginMethod[] {
  const oauth: readonly LoginMethod[] = hasOAuth ? ["oauth"] : [];
  const legacy: readonly LoginMethod[] = [
    ...(sso ? (["sso"] as const) : []),
    ...(password ? (["password"] as const) : []),
  ];
  if (wanted) return wanted.filter((each) => [...oauth, ...legacy].includes(each));
  if (hasOAuth) return oauth;
  return oauthAwarePreferred ? ["sso"] : legacy;
}

export class HomeserverLookup {
  readonly #host: MatrixLoginHost;
  found: FoundHomeserver | undefined;
  sought: string | undefined;
  /** Where it is not undefined, the name is still being typed. */
  #typing: { failure?: unknown } | undefined;

  constructor(host: MatrixLoginHost) {
    this.#host = host;
  }

  forget(): void {
    this.found = this.sought = this.#typing = undefined;
  }

  /**
   * @returns The homeserver; undefined if another one is wanted meanwhile, or it failed while its
   *   name is being typed.
   * @throws {OidcFlowError} `homeserver_missing`; what the discovery throws.
   * @throws {LoginError} `login_not_supported`
   */
  async find(
    homeserver: string,
    signal: AbortSignal,
    { typing = false }: { readonly typing?: boolean } = {},
  ): Promise<FoundHomeserver | undefined> {
    this.sought = homeserver;
    const attempt: { failure?: unknown } | undefined = typing ? {} : undefined;
    this.#typing = attempt;
    try {
      if (!homeserver) throw new OidcFlowError(OidcError.Misconfigured, "homeserver_missing");
      const found = await findMethods(homeserver, readMethods(this.#host), { signal });
      if (signal.aborted) return undefined;
      // It is needed when the user submits a password, and the form must not wait for it.
      if (found.methods.includes("password")) whenIdle(() => void loadSession());
      return (this.found = found);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!attempt || attempt !== this.#typing) throw error;
      attempt.failure = error;
      return undefined;
    }
  }

  typed(): unknown {
    const failure = this.#typing?.failure;
    this.#typing = undefined;
    return failure;
  }

  announce(): void {
    if (!this.found) return;
    const { homeserver, homeserverUrl, methods, flows } = this.found;
    const detail = { homeserver, homeserverUrl, methods, flows };
    this.#host.dispatchEvent(new MatrixLoginHomeserverEvent(detail));
    this.#host.requestUpdate();
  }
}
