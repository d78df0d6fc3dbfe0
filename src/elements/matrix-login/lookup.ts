import { wait } from "../../core/http/wait.js";
import type { LoginFlows, RequestOptions } from "../../core/index.js";
import { LoginError } from "../../core/legacy/errors.js";
import { fetchLoginFlows, parseLoginFlows } from "../../core/matrix/login-flows.js";
import { findProvider, type FoundProvider } from "../../core/matrix/provider.js";
import { settingsInvalid } from "../../core/oauth/errors.js";
import { OidcFlowError } from "../../core/oauth/flow-error.js";
import { understood } from "../../core/shared/typed-names.js";
import { lazyPart } from "../../ui/loading.js";
import { Operation } from "../../ui/operation.js";
import type { LoginTarget } from "../oidc-login/settings.js";
import type { MatrixLoginElement } from "./matrix-login.js";
import type * as OAuthView from "./oauth-view.js";
import type { LoginMethod } from "./settings.js";
import type { Place } from "./state.js";

/** The buttons for a provider. */
const loadOAuthView = /* @__PURE__ */ lazyPart(() => import("./oauth-view.js"));

const KEYSTROKE_PAUSE_MS = 400;

const METHODS: readonly LoginMethod[] = ["oauth", "sso", "password"];

export interface FoundHomeserver extends Omit<FoundProvider, "provider"> {
  /** The entered or set value, normalized: in ASCII, without a trailing slash. */
  readonly homeserver: string;
  readonly methods: readonly LoginMethod[];
  readonly target: LoginTarget | undefined;
  /** Present if there is a provider. */
  readonly oauthView: typeof OAuthView | undefined;
  readonly flows: LoginFlows;
}

/** A lookup of a homeserver. If `server` is unset, it is a lookup of the page's homeserver. */
export interface Lookup extends Pick<Place, "server" | "typed" | "isTyping"> {
  readonly movesFocus?: boolean;
}

/**
 * The next lookup. It waits while the user might still be typing, while the page might still be
 * setting the value, or while the element is not in the document.
 */
export class PlannedLookup {
  readonly #host: MatrixLoginElement;
  readonly #run: (lookup: Lookup) => void;
  readonly #pause = new Operation();
  #lookup: Lookup | undefined;

  constructor(host: MatrixLoginElement, run: (lookup: Lookup) => void) {
    this.#host = host;
    this.#run = run;
  }

  /** Runs a lookup after a pause, unless another one is planned before. */
  plan(lookup: Lookup): void {
    this.#lookup = lookup;
    if (!this.#host.isConnected) return;
    void this.#pause.run(async (signal) => {
      await wait(KEYSTROKE_PAUSE_MS, signal);
      this.#run(lookup);
    });
  }

  /** Called when the element is in the document again. */
  resume(): void {
    if (this.#lookup && !this.#pause.isRunning) this.#run(this.#lookup);
  }

  /** Called when the element has left the document during a lookup, or before it. */
  suspend(lookup: Lookup | undefined): void {
    this.#pause.cancel();
    this.#lookup = lookup ?? this.#lookup;
  }

  cancel(): void {
    this.#pause.cancel();
    this.#lookup = undefined;
  }
}

/**
 * Looks up the sign-in methods of a homeserver. The homeserver itself must report a lack of OAuth
 * 2.0.
 *
 * @throws {OidcFlowError} `homeserver_missing`, `settings_invalid`, `load_failed`; the errors of the
 *   discovery.
 * @throws {LoginError} `login_not_supported`
 */
export async function findMethods(
  homeserver: string,
  host: MatrixLoginElement,
  options: RequestOptions,
): Promise<FoundHomeserver> {
  const wanted = wantedBy(host);
  if (!homeserver) throw new OidcFlowError("OIDC is misconfigured", "homeserver_missing");
  const { provider: requested, ...found } = await findProvider(
    { homeserver },
    { ...options, strict: true },
  );
  const oauth = requested.catch((error: unknown) => {
    if (error instanceof OidcFlowError && error.code === "oidc_not_supported") return undefined;
    throw error;
  });
  const [provider, oauthView, flows] = await Promise.all([
    oauth,
    oauth.then((each) => each && loadOAuthView()),
    fetchLoginFlows(found.homeserverUrl, options).catch(async (error: unknown) => {
      // If there is OAuth 2.0, no other method is needed.
      if (await oauth) return parseLoginFlows({});
      throw error;
    }),
  ]);
  const methods = offered(provider !== undefined, flows, wanted);
  if (methods.length === 0) {
    const message = "The homeserver supports no sign-in method of this page";
    throw new LoginError("login_not_supported", message);
  }
  const target = provider && { foundAt: Date.now(), ...found, provider };
  return { ...found, homeserver: understood(homeserver), methods, target, oauthView, flows };
}

/** The methods that the page offers, in order; undefined for all. */
function wantedBy({ methods }: MatrixLoginElement): readonly LoginMethod[] | undefined {
  const names = (methods ?? "").split(/\s+/).filter(Boolean);
  if (names.length === 0) return undefined;
  return names.map((name) => {
    const method = METHODS.find((each) => each === name);
    if (!method) throw settingsInvalid(`methods contains a value other than ${METHODS.join(", ")}`);
    return method;
  });
}

/**
 * The offered methods. If the homeserver has OAuth 2.0, legacy methods are offered only if the page
 * names them.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#oauth-20-aware-clients
 */
function offered(
  hasOAuth: boolean,
  { oauthAwarePreferred, password, sso }: LoginFlows,
  wanted: readonly LoginMethod[] | undefined,
): readonly LoginMethod[] {
  const isSupported = { oauth: hasOAuth, sso, password };
  if (wanted) return wanted.filter((each) => isSupported[each]);
  if (hasOAuth) return ["oauth"];
  return oauthAwarePreferred ? ["sso"] : METHODS.filter((each) => isSupported[each]);
}

/** Whether the OAuth 2.0 provider of a homeserver can create an account. */
export const canCreateAtProvider = (
  { noRegistration, prompt }: MatrixLoginElement,
  { target }: FoundHomeserver,
): boolean =>
  !noRegistration &&
  !prompt &&
  !!target?.provider.named.prompt_values_supported?.includes("create");

/**
 * Whether the homeserver itself creates accounts and resets passwords. If it has a provider, the
 * provider does.
 */
export const hasAccountForms = ({ methods, target }: FoundHomeserver): boolean =>
  methods.includes("password") && !target;
