import type { Environment } from "./environment.js";
import type { Call, Routes } from "./exchange.js";
import { respondToSso } from "./login-routes.js";
import { pageResponse, type Page } from "./pages.js";
import { respondToAuthorization } from "./provider.js";
import { SUBMIT_PATH, validate } from "./threepid-routes.js";
import { complete, sessionOf } from "./uia.js";

const SSO = /^v3\/login\/sso\/redirect(\/[^/]+)?$/;
const FALLBACK = /^v3\/auth\/([^/]+)\/fallback\/web$/;
const OAUTH_STAGES = ["m.oauth", "org.matrix.cross_signing_reset"];

const isAt = (url: URL, page: string): boolean => url.origin + url.pathname === page;

/** What of a URL is below the client-server API; undefined if it is elsewhere. */
export function apiPath({ homeserver }: Environment, { href }: URL): string | undefined {
  const api = `${homeserver}/_matrix/client/`;
  return href.startsWith(api) ? href.slice(api.length) : undefined;
}

/** The file that leads to the homeserver, by its server name and by its own. */
export function wellKnownUrls({
  homeserver,
  serverName,
}: Pick<Environment, "homeserver" | "serverName">): readonly string[] {
  const { origin, protocol } = new URL(homeserver);
  // A homeserver on this machine may have the name of one that is not.
  const origins = new Set([origin, `${protocol}//${serverName}`, `https://${serverName}`]);
  return [...origins].map((each) => `${each}/.well-known/matrix/client`);
}

/**
 * Does what a user does at a page of the servers who agrees.
 *
 * @returns Where the browser is then.
 * @throws {TypeError} if it is no page of theirs, or a request that they would not accept.
 */
export function approve(environment: Environment, url: URL, user?: string): string {
  const { authorizationPage, issuer } = environment;
  const [path = ""] = apiPath(environment, url)?.split(/[?#]/, 1) ?? [];
  const id = url.searchParams.get("session");
  const stage = FALLBACK.exec(path)?.[1];
  if (isAt(url, authorizationPage)) return respondToAuthorization(environment, url, { user });
  if (SSO.test(path)) return respondToSso(environment, url, user);
  if (stage !== undefined) {
    complete(sessionOf(environment, id), decodeURIComponent(stage));
  } else if (isAt(url, `${issuer}account`)) {
    for (const each of OAUTH_STAGES) complete(sessionOf(environment, id), each);
  } else if (path === SUBMIT_PATH) {
    if (!validate(environment, url.searchParams)) throw new TypeError("The link is not good");
  } else {
    throw new TypeError(`No page of these servers: ${url.href}`);
  }
  return url.href;
}

/** @throws {TypeError} if it is not the provider's page. */
export function decline(environment: Environment, url: URL, error: string): string {
  if (isAt(url, environment.authorizationPage)) {
    return respondToAuthorization(environment, url, { error });
  }
  throw new TypeError(`Not the provider's page: ${url.href}`);
}

/** A page, or what is wrong with its URL. */
function page(make: () => Page): Response {
  try {
    return pageResponse(make());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return pageResponse({ title: error.message }, 400);
  }
}

/** The homeserver's pages, below its API. */
export function homeserverPages(environment: Environment): Routes {
  const sso = ({ url }: Call): Response =>
    page(() => ({
      title: "Sign in",
      links: { Continue: approve(environment, new URL(url)) },
    }));
  return {
    "GET v3/login/sso/redirect": sso,
    "GET v3/login/sso/redirect/:idp": sso,
    "GET v3/auth/:stage/fallback/web": ({ query }) =>
      page(() => {
        sessionOf(environment, query.get("session"));
        return { title: "One more step", button: "Continue" };
      }),
    "POST v3/auth/:stage/fallback/web": ({ url }) =>
      page(() => {
        approve(environment, new URL(url));
        return { title: "You may close this window", done: true };
      }),
    [`GET ${SUBMIT_PATH}`]: ({ url }) =>
      page(() => {
        approve(environment, new URL(url));
        return { title: "Your address is confirmed" };
      }),
  };
}

/** The provider's pages, below its issuer. */
export function providerPages(environment: Environment): Routes {
  return {
    "GET authorize": ({ url }) =>
      page(() => ({
        title: "Sign in",
        links: {
          Continue: approve(environment, new URL(url)),
          Cancel: decline(environment, new URL(url), "access_denied"),
        },
      })),
    "GET account": ({ query }) =>
      page(() => {
        sessionOf(environment, query.get("session"));
        return { title: "Approve", button: "Continue" };
      }),
    "POST account": ({ url }) =>
      page(() => {
        approve(environment, new URL(url));
        return { title: "Approved" };
      }),
  };
}
