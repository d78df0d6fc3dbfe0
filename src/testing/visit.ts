import { findAccount, hasAccounts, issueLoginToken, type Environment } from "./environment.js";
import {
  notFound,
  redirectTo,
  refuse,
  requiredParameter,
  type Call,
  type Routes,
} from "./exchange.js";
import { AGREE, pageResponse, type Page } from "./pages.js";
import { respondToAuthorization } from "./provider.js";
import { LINK_PATHS, validate } from "./threepid-routes.js";
import {
  OAUTH_STAGES,
  POLICIES,
  complete,
  isCaptchaSolved,
  isTokenValid,
  policiesOf,
  sessionOf,
} from "./uia.js";

const SSO = /^client\/v3\/login\/sso\/redirect(\/[^/]+)?$/;
const FALLBACK = /^client\/v3\/auth\/([^/]+)\/fallback\/web$/;

/** Stages that have no page, as at Synapse. */
const WITHOUT_PAGE = [
  "m.login.password",
  "m.login.email.identity",
  "m.login.msisdn",
  "m.login.dummy",
];

const isAt = (url: URL, page: string): boolean => url.origin + url.pathname === page;

/** What of a URL is below the homeserver's APIs; undefined if it is elsewhere. */
export function apiPath({ homeserver }: Environment, { href }: URL): string | undefined {
  const api = `${homeserver}/_matrix/`;
  return href.startsWith(api) ? href.slice(api.length) : undefined;
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
  } else if (isLink(path)) {
    return followLink(environment, url);
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

/** @throws {TypeError} if single sign-on could not lead back. */
function respondToSso(environment: Environment, url: URL, user?: string): string {
  const target = new URL(url.searchParams.get("redirectUrl") ?? "");
  const localpart = user ?? Object.keys(environment.data.accounts)[0] ?? "";
  if (!findAccount(environment, localpart)) throw new TypeError(`Nobody is called ${localpart}`);
  target.searchParams.append("loginToken", issueLoginToken(environment, localpart, 120_000));
  return target.href;
}

const isLink = (path: string): boolean => Object.values<string>(LINK_PATHS).includes(path);

/** @throws {TypeError} if the link is not good. */
function followLink(environment: Environment, url: URL): string {
  const validation = validate(environment, url.searchParams);
  if (!validation) throw new TypeError("The link is not good");
  if (!validation.nextLink) return url.href;
  const next = new URL(validation.nextLink);
  next.searchParams.set("sid", validation.sid);
  return next.href;
}

/** A page, or what is wrong with its URL. */
async function page(make: () => Page): Promise<Response> {
  try {
    return await pageResponse(make());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return pageResponse({ title: error.message }, 400);
  }
}

/** The homeserver's pages. */
export const homeserverPages = (environment: Environment): Routes => ({
  ...(environment.login.includes("sso") && ssoPages(environment)),
  ...(hasAccounts(environment) && { ...stagePages(environment), ...linkPages(environment) }),
});

function ssoPages(environment: Environment): Routes {
  const sso = (call: Call): Promise<Response> => {
    requiredParameter(call, "redirectUrl");
    const [idp] = call.params;
    if (idp !== undefined && !environment.identityProviders.some(({ id }) => id === idp)) {
      throw notFound("Unknown identity provider");
    }
    return page(() => ({
      title: "Sign in",
      links: { Continue: approve(environment, new URL(call.url)) },
    }));
  };
  return {
    "GET client/v3/login/sso/redirect": sso,
    "GET client/v3/login/sso/redirect/:idp": sso,
  };
}

/**
 * On which a stage is completed by a client that has no view for it.
 *
 * @see https://spec.matrix.org/latest/client-server-api/#fallback
 */
function stagePages(environment: Environment): Routes {
  const stageOf = ({ params: [stage = ""] }: Call): string => {
    if (WITHOUT_PAGE.includes(stage)) throw refuse(404, "M_UNKNOWN", "Unknown auth stage type");
    return stage;
  };
  const show = (stage: string, error?: string): Page => {
    const policies = Object.values(policiesOf(environment)).map(({ en }) => en);
    return {
      title: TITLES[stage] ?? "One more step",
      button: "Continue",
      error,
      ...(isToken(stage) && { fields: { token: "Token" } }),
      ...(stage === "m.login.terms" && {
        text: "By continuing you accept these:",
        links: Object.fromEntries(policies.map((policy) => [policy?.name, policy?.url])) as Record<
          string,
          string
        >,
      }),
    };
  };

  /** What is wrong with the input on the page of a stage. */
  const problemWith = (stage: string, values: URLSearchParams): string | undefined => {
    if (isToken(stage)) {
      const isValid = isTokenValid(environment, values.get("token") ?? "");
      return isValid ? undefined : "Invalid registration token.";
    }
    // To press the button is to agree, as on Synapse's page.
    if (stage === "m.login.terms") return undefined;
    const captcha = values.get("g-recaptcha-response");
    const isSolved = captcha !== null && isCaptchaSolved(environment, captcha);
    if (stage === "m.login.recaptcha" && isSolved) return undefined;
    return values.has(AGREE) ? undefined : "This step is not completed yet.";
  };

  return {
    "GET client/v3/auth/:stage/fallback/web": (call) => {
      const stage = stageOf(call);
      return page(() => {
        sessionOf(environment, call.query.get("session"));
        return show(stage);
      });
    },
    "POST client/v3/auth/:stage/fallback/web": (call) => {
      const stage = stageOf(call);
      return page(() => {
        const session = sessionOf(environment, call.query.get("session"));
        const problem = problemWith(stage, new URLSearchParams(call.body));
        if (problem) return show(stage, problem);
        complete(session, stage);
        return { title: "Done", text: "You may close this window.", done: true };
      });
    },
    "GET client/unstable/policies/:id/:language": ({ params: [id = "", language = ""] }) => {
      const name = POLICIES[id]?.[language];
      if (name === undefined) throw notFound("No such policy");
      return pageResponse({ title: name, text: "This homeserver is for tests: it keeps nothing." });
    },
  };
}

const isToken = (stage: string): boolean => stage.endsWith("registration_token");

const TITLES: Readonly<Record<string, string>> = {
  "m.login.recaptcha": "Captcha",
  "m.login.terms": "Terms",
  "m.login.sso": "Sign in again",
  "m.login.registration_token": "Registration token",
};

/** Where the links of emails lead. */
function linkPages(environment: Environment): Routes {
  const confirm = ({ url }: Call): Response | Promise<Response> => {
    try {
      const next = followLink(environment, new URL(url));
      if (next !== url) return redirectTo(next);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return pageResponse({ title: error.message, text: "Ask for another message." }, 400);
    }
    const text = "Go back to the page that you came from.";
    return pageResponse({ title: "Your address is confirmed", text });
  };
  return {
    // Opening the link is enough, as it is at Synapse: but not to set another password. Mail programs open links on
    // their own, so there a user has to press the button.
    [`GET ${LINK_PATHS.register}`]: confirm,
    [`GET ${LINK_PATHS["account/3pid"]}`]: confirm,
    [`GET ${LINK_PATHS["account/password"]}`]: () =>
      pageResponse({ title: "Confirm that you want another password", button: "Confirm" }),
    [`POST ${LINK_PATHS["account/password"]}`]: confirm,
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
