import type { LegacyLoginResult } from "../core/legacy/login.js";
import { accountRoutes } from "./account-routes.js";
import { asFetch, fulfill, type MswHttp, type PlaywrightRoute } from "./adapters.js";
import { discoveryRoutes, wellKnownFile, wellKnownUrls } from "./discovery-routes.js";
import {
  account,
  createEnvironment,
  type Data,
  type Environment,
  findAccount,
  hasAccounts,
  Memory,
  type TestMessage,
  userIdOf,
} from "./environment.js";
import {
  type Call,
  dispatch,
  json,
  preflight,
  rateLimited,
  Refusal,
  type Routes,
  type TestRequest,
  unrecognized,
} from "./exchange.js";
import { keysRoutes } from "./keys-routes.js";
import { loginRoutes } from "./login-routes.js";
import { mediaRoutes } from "./media-routes.js";
import type { TestAccount, TestServersOptions, TokenLifetimes, UiaSettings } from "./options.js";
import { type Override, type OverrideOptions, Overrides } from "./overrides.js";
import { providerRoutes } from "./provider.js";
import { startSession } from "./sessions.js";
import { threepidRoutes } from "./threepid-routes.js";
import { apiPath, approve, decline, homeserverPages, providerPages } from "./visit.js";

/**
 * A homeserver and its OAuth 2.0 provider that exist only in the page or process that made them: for an
 * application's own tests. They check what real ones check – clients, redirect URIs, PKCE, passwords, tokens, stages –
 * and do nothing else; they are no place for anybody's data.
 *
 * @experimental
 */
export class TestServers {
  /** The base URL of the client-server API. */
  readonly homeserver: string;
  /** What user IDs end with. */
  readonly serverName: string;
  /** The provider's issuer. */
  readonly issuer: string;
  /** What the homeserver asks for; may be changed at any time. */
  readonly uia: UiaSettings;
  readonly tokenLifetimes: TokenLifetimes;
  /** The requests so far, in the order in which they were sent; by `fetch` also those that find no server. */
  readonly requests: readonly TestRequest[] = [];
  readonly #environment: Environment;
  readonly #overrides = new Overrides();
  readonly #options: TestServersOptions;
  readonly #api: Routes;
  readonly #provider: Routes;
  readonly #memory: Memory;

  /** @internal Use {@link createTestServers}. */
  constructor(options: TestServersOptions, signingKey: Data["signingKey"]) {
    const { homeserver = "https://matrix.example.org", login = ["oauth"], uia } = options;
    const { tokenLifetimeMs: refreshable = 300_000, provider } = options;
    this.#options = options;
    this.homeserver = homeserver.replace(/\/+$/, "");
    this.serverName = options.serverName ?? new URL(homeserver).host;
    this.issuer = provider?.issuer ?? options.issuer ?? `${this.homeserver}/oauth2/`;
    this.uia = {
      flows: login.some((method) => method !== "oauth") ? [["m.login.password"]] : [["m.oauth"]],
      registrationFlows: [["m.login.dummy"]],
      registrationTokens: ["registration-token"],
      captchaResponse: undefined,
      params: {},
      attempts: undefined,
      ...uia,
    };
    this.tokenLifetimes = { refreshable, other: Infinity };
    this.#memory = new Memory(options, signingKey);
    const { serverName, issuer, tokenLifetimes } = this;
    this.#environment = createEnvironment(
      { homeserver: this.homeserver, serverName, issuer, login, tokenLifetimes, uia: this.uia },
      options,
      this.#memory,
    );
    this.#api = {
      ...discoveryRoutes(this.#environment),
      ...homeserverPages(this.#environment),
      ...accountRoutes(this.#environment),
      ...loginRoutes(this.#environment),
      ...(hasAccounts(this.#environment) && threepidRoutes(this.#environment)),
      ...keysRoutes(this.#environment),
      ...mediaRoutes(this.#environment),
    };
    const hasProvider = login.includes("oauth") && !provider;
    this.#provider = {
      ...(hasProvider && {
        ...(options.authorizationPage === undefined && providerPages(this.#environment)),
        ...providerRoutes(this.#environment),
      }),
    };
  }

  /** All messages that the homeserver has sent. */
  get messages(): readonly TestMessage[] {
    this.#memory.load();
    return this.#memory.data.messages;
  }

  /** `fetch`, with these servers in place of the network. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (this.handles(request.url)) return asFetch(request, this.respond, this.fetch);
    if (this.#options.fetch) return this.#options.fetch(input, init);
    return asFetch(request, this.#findNobody, this.fetch);
  };

  /**
   * Responds as a server does, without following redirects: for an HTTP server in front of these.
   *
   * @param request Its URL is one that these servers {@link handles}; else the response is a 404.
   */
  readonly respond = async (request: Request): Promise<Response> => {
    const received = await this.#record(request);
    try {
      const overridden = await this.#overrides.respond(received);
      if (overridden) return overridden;
      if (received.method === "OPTIONS") return preflight();
      this.#memory.load();
      return await this.#dispatch({ ...received, bytes: () => bytesOf(request) });
    } catch (error) {
      if (error instanceof Refusal) return error.response;
      throw error;
    } finally {
      this.#memory.save();
    }
  };

  /** Whether a request is one to these servers: what to hand to Playwright's `context.route()`. */
  readonly handles = (url: string | URL): boolean => {
    const { authorizationPage, provider } = this.#options;
    const { href, origin, pathname } = new URL(url);
    if (authorizationPage !== undefined && origin + pathname === authorizationPage) return false;
    return (
      href.startsWith(`${this.homeserver}/_matrix/`) ||
      (!provider && href.startsWith(this.issuer)) ||
      wellKnownUrls(this).includes(href)
    );
  };

  /** Responds to what Playwright has intercepted: `context.route(servers.handles, servers.route)`. */
  readonly route = (route: PlaywrightRoute): Promise<void> => fulfill(route, this.respond);

  /**
   * Handlers for MSW 2: `setupServer(...servers.handlers(http))`.
   *
   * @param http MSW's `http`.
   */
  handlers<Handler>(http: MswHttp<Handler>): Handler[] {
    const issuer = this.#options.provider ? [] : [`${this.issuer}*`];
    const patterns = [`${this.homeserver}/_matrix/*`, ...issuer, ...wellKnownUrls(this)];
    return patterns.map((pattern) =>
      http.all(pattern, async ({ request }) =>
        this.handles(request.url) ? this.respond(request) : undefined,
      ),
    );
  }

  /**
   * Does what a user does who agrees at a page: at the provider's or the single sign-on's, at the homeserver's page
   * for a stage, at the provider's page for `m.oauth`, or with the link of an email.
   *
   * @param url The page's.
   * @param options `user`: the localpart of who signs in. Default: who the login hints at, else the first account.
   * @returns Where the browser is then: with the response at the application, or still at the page.
   * @throws {TypeError} if it is no page of these servers, or a request that they would not accept.
   */
  approve(url: string | URL, { user }: { readonly user?: string } = {}): string {
    return this.#act(() => approve(this.#environment, new URL(url), user));
  }

  /**
   * Does what a user does who declines at the provider's page.
   *
   * @param options `error`: the response's. Default: `access_denied`.
   * @returns Where the provider sends the browser.
   * @throws {TypeError} if it is not the provider's page, or a request that it would not accept.
   */
  decline(
    url: string | URL,
    { error = "access_denied" }: { readonly error?: string } = {},
  ): string {
    return this.#act(() => decline(this.#environment, new URL(url), error));
  }

  /**
   * Signs a user in without any page, for tests that begin there: what `new LegacySession()` takes.
   *
   * @param user A localpart. Default: the first account.
   * @throws {TypeError} if there is no such account.
   */
  signIn(
    user: string = Object.keys(this.#memory.data.accounts)[0] ?? "",
    { deviceId }: { readonly deviceId?: string } = {},
  ): LegacyLoginResult {
    return this.#act(() => {
      if (!findAccount(this.#environment, user)) throw new TypeError(`Nobody is called ${user}`);
      const { deviceId: id, issued } = startSession(this.#environment, {
        ...{ user, kind: "legacy" },
        ...(deviceId !== undefined && { deviceId }),
      });
      const { accessToken, refreshToken, expiresAt } = issued;
      return {
        homeserverUrl: this.homeserver,
        userId: userIdOf(this.#environment, user),
        ...{ deviceId: id, accessToken, expiresAt: expiresAt / 1000 },
        ...(refreshToken !== undefined && { refreshToken }),
      };
    });
  }

  /** An account, by its localpart; what is changed in it holds from then on. */
  account(user: string): TestAccount | undefined {
    this.#memory.load();
    return this.#memory.data.accounts[user];
  }

  /**
   * Adds an account, unless there is one with this localpart.
   *
   * @param given A password, or more of the account.
   */
  addAccount(user: string, given?: string | Partial<TestAccount>): TestAccount {
    return this.#act(() => (this.#memory.data.accounts[user] ??= account(user, given)));
  }

  /** Ends all access tokens: the next request is refused with `M_UNKNOWN_TOKEN`, and a refresh succeeds. */
  expireTokens(): void {
    this.#act(() => {
      for (const { tokens } of this.#memory.data.sessions) {
        for (const issued of tokens) issued.expiresAt = 0;
      }
    });
  }

  /** Forgets the User-Interactive Authentication sessions: a request that names one is refused with `M_UNKNOWN`. */
  expireUia(): void {
    this.#act(() => (this.#memory.data.uia = {}));
  }

  /** Ends all sessions: neither the access token nor the refresh token is good any more. */
  endSessions({ softLogout = false }: { readonly softLogout?: boolean } = {}): void {
    const ended = softLogout ? "soft logout" : "logout";
    this.#act(() => this.#memory.data.sessions.forEach((session) => (session.ended ??= ended)));
  }

  /**
   * Responds to the next requests in place of the servers.
   *
   * @param endpoint The end of a path, after a method if only that is meant: `POST /login`, `/token`, or the empty
   *   string for every request.
   * @param respond Undefined from it: the request is answered as usual. What it waits for, the request waits for.
   * @returns A function that takes it back.
   */
  override(endpoint: string, respond: Override, options?: OverrideOptions): () => void {
    return this.#overrides.add(endpoint, respond, options);
  }

  /** Refuses the next requests, as `refuse("POST /login", 403, { errcode: "M_FORBIDDEN" })`. */
  refuse(
    endpoint: string,
    status: number,
    body: Readonly<Record<string, unknown>>,
    options?: OverrideOptions,
  ): () => void {
    return this.override(endpoint, () => json(body, status), options);
  }

  /** Refuses the next requests with 429 and `M_LIMIT_EXCEEDED`. */
  rateLimit(
    endpoint: string,
    { retryAfterMs = 1000, ...options }: OverrideOptions & { readonly retryAfterMs?: number } = {},
  ): () => void {
    return this.override(endpoint, () => rateLimited(retryAfterMs).response, options);
  }

  /** Has the next requests fail as without a network. */
  disconnect(endpoint = "", options?: OverrideOptions): () => void {
    return this.override(endpoint, () => Response.error(), options);
  }

  /** Forgets everything since the servers were made, but for changes of `uia`: between two tests. */
  reset(): void {
    this.#overrides.clear();
    (this.requests as TestRequest[]).length = 0;
    this.#memory.reset();
  }

  async #record(request: Request): Promise<TestRequest> {
    const { method, url, headers, signal } = request;
    const received = { method, url, headers, signal, body: "" };
    (this.requests as TestRequest[]).push(received);
    received.body = await request.clone().text();
    return received;
  }

  readonly #findNobody = async (request: Request): Promise<Response> => {
    await this.#record(request);
    return Response.error();
  };

  async #dispatch(request: Omit<Call, "query" | "params">): Promise<Response> {
    const url = new URL(request.url);
    const { href } = url;
    if (wellKnownUrls(this).includes(href)) {
      return json(wellKnownFile(this.#environment));
    }
    const path = apiPath(this.#environment, url);
    if (path !== undefined) return dispatch(this.#api, request, path);
    if (href.startsWith(this.issuer)) {
      return dispatch(this.#provider, request, href.slice(this.issuer.length));
    }
    throw unrecognized();
  }

  #act<T>(action: () => T): T {
    this.#memory.load();
    const result = action();
    this.#memory.save();
    return result;
  }
}

const bytesOf = async (request: Request): Promise<Uint8Array> =>
  new Uint8Array(await request.arrayBuffer());
