import type { LegacyLoginResult } from "../core/legacy/login.js";
import { accountRoutes } from "./account-routes.js";
import { fulfillRoute, type MswHttp, type PlaywrightRoute, respondAsFetch } from "./adapters.js";
import { discoveryRoutes, wellKnownRoutes } from "./discovery-routes.js";
import { Environment, newAccount } from "./environment.js";
import {
  dispatch,
  json,
  preflight,
  rateLimited,
  record,
  type Routes,
  ServerRefusal,
} from "./exchange.js";
import { keysRoutes } from "./keys-routes.js";
import { mediaRoutes } from "./media-routes.js";
import type {
  Override,
  OverrideOptions,
  TestAccount,
  TestMessage,
  TestRequest,
  TestServersOptions,
  TokenLifetimes,
  UiaSettings,
} from "./options.js";
import { approvePage, declinePage, homeserverPages, providerPages } from "./pages.js";
import { makeSigningKey, providerRoutes } from "./provider.js";
import { syncRoutes } from "./sync-routes.js";
import { threepidRoutes } from "./threepid-routes.js";

/**
 * Creates a homeserver and its OAuth 2.0 provider for tests.
 *
 * @experimental
 */
export async function createTestServers(options: TestServersOptions = {}): Promise<TestServers> {
  return new TestServers(options, await makeSigningKey(options.algorithm ?? "ES256"));
}

/**
 * A homeserver and its OAuth 2.0 provider for an app's tests. They exist only in the page or
 * process that created them. They check what real servers check (clients, redirect URIs, PKCE,
 * passwords, tokens, stages) and nothing else, so keep no real data in them.
 *
 * @experimental
 */
export class TestServers {
  /** The base URL of the client-server API. */
  readonly homeserver: string;
  /** The part of user IDs after the colon. */
  readonly serverName: string;
  /** The provider's issuer. */
  readonly issuer: string;
  /** The stages that the homeserver requires. You can change them at any time. */
  readonly uia: UiaSettings;
  /** The option `capabilities`. You can change them at any time. */
  readonly capabilities: Record<string, unknown>;
  /** The lifetimes of new access tokens. You can change them at any time. */
  readonly tokenLifetimes: TokenLifetimes;
  /**
   * All requests in the order in which they were sent. With the option `fetch`, also those to other
   * servers.
   */
  readonly requests: readonly TestRequest[] = [];
  readonly #environment: Environment;
  /** Newest first. */
  readonly #overrides: { endpoint: string; respond: Override; left: number }[] = [];
  /** The routes, by the start of their URLs, or by the whole URL if it has no trailing slash. */
  readonly #routes: Readonly<Record<string, Routes>>;

  /** @internal Use {@link createTestServers}. */
  constructor(options: TestServersOptions, signingKey: JsonWebKey) {
    const environment = new Environment(options, signingKey);
    this.#environment = environment;
    this.homeserver = environment.homeserver;
    this.serverName = environment.serverName;
    this.issuer = environment.issuer;
    this.uia = environment.uia;
    this.capabilities = environment.capabilities;
    this.tokenLifetimes = environment.tokenLifetimes;
    const hasProvider = environment.login.includes("oauth");
    this.#routes = {
      ...wellKnownRoutes(environment),
      [environment.api]: {
        ...discoveryRoutes(environment),
        ...homeserverPages(environment),
        ...accountRoutes(environment),
        ...(environment.hasAccounts && threepidRoutes(environment)),
        ...keysRoutes(environment),
        ...mediaRoutes(environment),
        ...syncRoutes(environment),
      },
      ...(!options.provider && {
        [environment.providerApi]: {
          ...(hasProvider && options.authorizationPage === undefined && providerPages(environment)),
          ...(hasProvider && providerRoutes(environment)),
        },
      }),
    };
  }

  /** All messages that the homeserver has sent. */
  get messages(): readonly TestMessage[] {
    this.#environment.load();
    return this.#environment.data.messages;
  }

  /** `fetch`, with these servers instead of the network. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (this.handles(request.url)) return respondAsFetch(request, this.respond, this.fetch);
    const { fetch } = this.#environment.options;
    if (fetch) return fetch(input, init);
    const fail = (sent: Request) => this.#record(sent).then(() => Response.error());
    return respondAsFetch(request, fail, this.fetch);
  };

  /**
   * Responds as a server does, without following redirects. Use it in an HTTP server in front of
   * these servers.
   *
   * @param request For a URL that these servers do not {@link handles | handle}, the response is a 404.
   */
  readonly respond = async (request: Request): Promise<Response> => {
    const response = await this.#respond(request);
    const isWhole = request.method !== "HEAD" || response.type === "error";
    return isWhole ? response : new Response(null, response);
  };

  /** Whether a URL belongs to these servers: for Playwright's `context.route()`. */
  readonly handles = (url: string | URL): boolean => {
    const { href, origin, pathname } = new URL(url);
    const { authorizationPage } = this.#environment.options;
    return origin + pathname !== authorizationPage && this.#routesFor(href) !== undefined;
  };

  /** For requests that Playwright intercepts: `context.route(servers.handles, servers.route)`. */
  readonly route = (route: PlaywrightRoute): Promise<void> => fulfillRoute(route, this.respond);

  /** Handlers for MSW 2, from its `http`: `setupServer(...servers.handlers(http))`. */
  handlers<Handler>(http: MswHttp<Handler>): Handler[] {
    return Object.keys(this.#routes).map((base) =>
      http.all(base.replace(/\/$/, "/*"), async ({ request }) =>
        this.handles(request.url) ? this.respond(request) : undefined,
      ),
    );
  }

  /**
   * Acts as a user who agrees on a page: the provider's or the single sign-on page, the
   * homeserver's page for a stage, the provider's page for `m.oauth`, or the page behind an email's
   * link. On the provider's account page the user removes the device that `device_id` names, or
   * deactivates the account (`org.matrix.account_deactivate`).
   *
   * @param url The page's URL.
   * @param options `user`: the localpart of the user who signs in. Default: the login hint's user,
   *   else the first account.
   * @returns The browser's next URL: the app's URL with the response, or the URL of the same page.
   * @throws {TypeError} if it is not a page of these servers, or if the page would reject the
   *   request.
   */
  approve(url: string | URL, { user }: { readonly user?: string } = {}): string {
    return this.#act(() => approvePage(this.#environment, new URL(url), user));
  }

  /**
   * Acts as a user who declines on the provider's page.
   *
   * @param options `error`: the `error` of the response. Default: `access_denied`.
   * @returns The URL that the provider redirects to.
   * @throws {TypeError} if it is not the provider's page, or the page would reject the request.
   */
  decline(
    url: string | URL,
    { error = "access_denied" }: { readonly error?: string } = {},
  ): string {
    return this.#act(() => declinePage(this.#environment, new URL(url), error));
  }

  /**
   * Signs in a user without any page. The result is for `new LegacySession()`.
   *
   * @param user A localpart. Default: the first account.
   * @throws {TypeError} if the account doesn't exist.
   */
  signIn(
    user?: string,
    { deviceId: given }: { readonly deviceId?: string } = {},
  ): LegacyLoginResult {
    return this.#act(() => {
      const localpart = this.#environment.userToSignIn(user);
      const started = this.#environment.startSession({ user: localpart, deviceId: given });
      const { session, issued } = started;
      const { accessToken, refreshToken, expiresAt } = issued;
      return {
        homeserverUrl: this.homeserver,
        userId: this.#environment.userIdOf(localpart),
        ...{ deviceId: session.deviceId, accessToken, expiresAt: expiresAt / 1000 },
        ...(refreshToken !== undefined && { refreshToken }),
      };
    });
  }

  /**
   * Signs out a device of a user, or all devices, and removes it from the list of devices.
   *
   * @param user A localpart.
   */
  signOut(user: string, deviceId?: string): void {
    this.#act(() => this.#environment.endSessions(user, deviceId));
  }

  /** An account, by its localpart. You can change it. */
  account(user: string): TestAccount | undefined {
    this.#environment.load();
    return this.#environment.data.accounts[user];
  }

  /**
   * Adds an account, unless there is one with this localpart.
   *
   * @param given A password, or other members of the account.
   */
  addAccount(user: string, given?: string | Partial<TestAccount>): TestAccount {
    return this.#act(() => (this.#environment.data.accounts[user] ??= newAccount(user, given)));
  }

  /** Expires all access tokens: requests fail with `M_UNKNOWN_TOKEN`, and a refresh succeeds. */
  expireTokens(): void {
    this.#act(() => {
      for (const { tokens } of this.#environment.data.sessions) {
        for (const issued of tokens) issued.expiresAt = 0;
      }
    });
  }

  /** Forgets the UIA sessions. A request that names one of them fails with `M_UNKNOWN`. */
  expireUia(): void {
    this.#act(() => (this.#environment.data.uia = record()));
  }

  /** Ends all sessions: their access tokens and refresh tokens are no longer valid. */
  endSessions({ softLogout = false }: { readonly softLogout?: boolean } = {}): void {
    this.#act(() => {
      const { data } = this.#environment;
      if (!softLogout) data.sessions = [];
      for (const session of data.sessions) session.isSoftLoggedOut = true;
    });
  }

  /**
   * Responds to the next requests instead of the servers.
   *
   * @param endpoint The end of a path, after a method to match only that method: `POST /login`,
   *   `/token`, or the empty string for every request. A browser's preflight matches only
   *   `OPTIONS`.
   * @param respond If it returns undefined, the servers respond as usual.
   * @returns A function that undoes the call.
   */
  override(endpoint: string, respond: Override, options: OverrideOptions = {}): () => void {
    const added = { endpoint, respond, left: options.times ?? 1 };
    this.#overrides.unshift(added);
    return () => (added.left = 0);
  }

  /** Rejects the next requests: `refuse("POST /login", 403, { errcode: "M_FORBIDDEN" })`. */
  refuse(
    endpoint: string,
    status: number,
    body: Readonly<Record<string, unknown>>,
    options?: OverrideOptions,
  ): () => void {
    return this.override(endpoint, () => json(body, status), options);
  }

  /** Rejects the next requests with 429 and `M_LIMIT_EXCEEDED`. */
  rateLimit(
    endpoint: string,
    { retryAfterMs = 1000, ...options }: OverrideOptions & { readonly retryAfterMs?: number } = {},
  ): () => void {
    return this.override(endpoint, () => rateLimited(retryAfterMs).response, options);
  }

  /** Makes the next requests fail as if the browser was offline. */
  disconnect(endpoint = "", options?: OverrideOptions): () => void {
    return this.override(endpoint, () => Response.error(), options);
  }

  /** For use between two tests: forgets everything except changes of `uia` and `capabilities`. */
  reset(): void {
    this.#overrides.length = 0;
    (this.requests as TestRequest[]).length = 0;
    this.#environment.reset();
  }

  async #respond(request: Request): Promise<Response> {
    const received = await this.#record(request);
    try {
      const overridden = await this.#overridden(received);
      if (overridden) return overridden;
      if (received.method === "OPTIONS") return preflight();
      this.#environment.load();
      const [base, routes] = this.#routesFor(received.url) ?? ["", {}];
      const call = { ...received, bytes: () => request.arrayBuffer() };
      return await dispatch(routes, call, received.url.slice(base.length));
    } catch (error) {
      if (error instanceof ServerRefusal) return error.response;
      throw error;
    } finally {
      this.#environment.save();
    }
  }

  async #overridden(request: TestRequest): Promise<Response | undefined> {
    const found = this.#overrides.find(({ endpoint, left }) => {
      const [path = "", method] = endpoint.split(" ").reverse();
      const isMethod = method ? method === request.method : request.method !== "OPTIONS";
      return left > 0 && isMethod && new URL(request.url).pathname.endsWith(path);
    });
    if (!found) return undefined;
    found.left -= 1;
    return found.respond(request);
  }

  async #record(request: Request): Promise<TestRequest> {
    const { method, url, headers, signal } = request;
    const received = { method, url, headers, signal, body: "" };
    (this.requests as TestRequest[]).push(received);
    received.body = await request.clone().text();
    return received;
  }

  #routesFor(url: string): [base: string, Routes] | undefined {
    const [page] = url.split(/[?#]/);
    return Object.entries(this.#routes).find(([base]) =>
      base.endsWith("/") ? url.startsWith(base) : page === base,
    );
  }

  #act<T>(action: () => T): T {
    this.#environment.load();
    const result = action();
    this.#environment.save();
    return result;
  }
}
