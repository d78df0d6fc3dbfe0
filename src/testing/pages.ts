import type { Environment, UiaRecord } from "./environment.js";
import {
  type Call,
  notFound,
  record,
  redirectResponse,
  refuse,
  requiredParameter,
  type Route,
  type Routes,
} from "./exchange.js";
import { respondToAuthorization } from "./provider.js";
import { confirmAddress, LINK_PATHS } from "./threepid-routes.js";
import { completeStages, isCaptchaSolved, OAUTH_STAGES, POLICIES, policyUrl } from "./uia.js";

interface HtmlPage {
  readonly title: string;
  readonly text?: string | undefined;
  readonly links?: Readonly<Record<string, string>>;
  /** The label of a button that sends the page again with POST. */
  readonly button?: string;
  /** Whether there is a field for a registration token above the button. */
  readonly hasTokenField?: boolean;
  readonly error?: string | undefined;
  /** Whether to tell the opener that the stage is completed. */
  readonly done?: boolean;
}

const AGREE = "agree";

const SSO = /^client\/v3\/login\/sso\/redirect(\/[^/]+)?$/;
const FALLBACK = /^client\/v3\/auth\/([^/]+)\/fallback\/web$/;

/** The stages that have no page. Synapse has none for them, either. */
const WITHOUT_PAGE = /^m\.login\.(password|email\.identity|msisdn|dummy)$/;

const TITLES = record({
  "m.login.recaptcha": "Captcha",
  "m.login.terms": "Terms",
  "m.login.sso": "Sign in again",
  "m.login.registration_token": "Registration token",
});

const isAt = (url: URL, page: string): boolean => url.origin + url.pathname === page;

export function approvePage(environment: Environment, url: URL, user?: string): string {
  const { api, authorizationPage, providerApi } = environment;
  const path = url.href.startsWith(api) ? url.href.slice(api.length).replace(/[?#].*/, "") : "";
  const stage = FALLBACK.exec(path)?.[1];
  if (isAt(url, authorizationPage)) return respondToAuthorization(environment, url, { user });
  if (SSO.test(path)) return respondToSso(environment, url, user);
  if (stage !== undefined) {
    const session = sessionOfPage(environment, url.searchParams.get("session"));
    completeStages(session, decodeURIComponent(stage));
  } else if (isAt(url, `${providerApi}account`)) {
    const { confirm } = accountPage(environment, url, user);
    if (!confirm) throw new TypeError(`The page requires no approval: ${url.href}`);
    confirm();
  } else if (Object.values<string>(LINK_PATHS).includes(path)) {
    return followLink(environment, url);
  } else {
    throw new TypeError(`No page of these servers: ${url.href}`);
  }
  return url.href;
}

export function declinePage(environment: Environment, url: URL, error: string): string {
  const isPage = isAt(url, environment.authorizationPage);
  if (isPage) return respondToAuthorization(environment, url, { error });
  throw new TypeError(`Not the provider's page: ${url.href}`);
}

/** The session whose stage is completed on a page. @throws {TypeError} if there is none. */
function sessionOfPage({ data }: Environment, id: string | null): UiaRecord {
  const session = data.uia[id ?? ""];
  if (session) return session;
  throw new TypeError(`No UIA session ${id ?? ""}`);
}

/** The content of the provider's account page, and the effect of the user's confirmation. */
function accountPage(
  environment: Environment,
  { searchParams }: URL,
  user?: string,
): HtmlPage & { readonly confirm?: () => void } {
  const button = "Continue";
  const action = searchParams.get("action");
  if (action === "org.matrix.cross_signing_reset") {
    const session = sessionOfPage(environment, searchParams.get("session"));
    return { title: "Approve", button, confirm: () => completeStages(session, ...OAUTH_STAGES) };
  }
  const owner = environment.userToSignIn(user);
  if (action === "org.matrix.account_deactivate") {
    const confirm = (): void => environment.deactivateAccount(owner);
    return { title: "Deactivate your account", button, confirm };
  }
  const deviceId = searchParams.get("device_id");
  if (deviceId !== null) {
    const device = environment.deviceOf(owner, deviceId);
    if (!device) throw new TypeError(`No device ${deviceId}`);
    const confirm = (): void => environment.endSessions(owner, deviceId);
    return { title: `Remove ${device.display_name ?? deviceId}`, button, confirm };
  }
  return { title: "Your account" };
}

function respondToSso(environment: Environment, url: URL, user?: string): string {
  const target = new URL(url.searchParams.get("redirectUrl") ?? "");
  const token = environment.issueLoginToken(environment.userToSignIn(user), 120_000);
  target.searchParams.append("loginToken", token);
  return target.href;
}

function followLink(environment: Environment, url: URL): string {
  const validation = confirmAddress(environment, url.searchParams);
  if (!validation) throw new TypeError("The link is not valid");
  if (!validation.nextLink) return url.href;
  const next = new URL(validation.nextLink);
  next.searchParams.set("sid", validation.sid);
  return next.href;
}

/** A route for a page that shows a `TypeError` with advice. */
const page =
  (makePage: (call: Call) => HtmlPage | Response, advice?: string): Route =>
  async (call) => {
    try {
      const made = makePage(call);
      return made instanceof Response ? made : await htmlResponse(made);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return htmlResponse({ title: error.message, text: advice }, 400);
    }
  };

export const homeserverPages = (environment: Environment): Routes => ({
  ...(environment.login.includes("sso") && ssoPages(environment)),
  ...(environment.hasAccounts && { ...stagePages(environment), ...linkPages(environment) }),
});

function ssoPages(environment: Environment): Routes {
  const signInPage = page((call) => {
    requiredParameter(call, "redirectUrl");
    const [idp] = call.params;
    const { identityProviders = [] } = environment.options;
    if (idp !== undefined && !identityProviders.some(({ id }) => id === idp)) {
      throw notFound("Unknown identity provider");
    }
    return {
      title: "Sign in",
      links: { Continue: approvePage(environment, new URL(call.url)) },
    };
  });
  return {
    "GET client/v3/login/sso/redirect": signInPage,
    "GET client/v3/login/sso/redirect/:idp": signInPage,
  };
}

const isRegistrationToken = (stage: string): boolean => stage.endsWith("registration_token");

/** @see https://spec.matrix.org/latest/client-server-api/#fallback */
function stagePages(environment: Environment): Routes {
  const stagePage = (stage: string, error?: string): HtmlPage => {
    const policies: Record<string, string> = {};
    for (const [id, { en: name = id }] of Object.entries(POLICIES)) {
      policies[name] = policyUrl(environment, id, "en");
    }
    return {
      title: TITLES[stage] ?? "One more step",
      button: "Continue",
      error,
      hasTokenField: isRegistrationToken(stage),
      ...(stage === "m.login.terms" && {
        text: "By continuing you accept these:",
        links: policies,
      }),
    };
  };

  const inputError = (stage: string, values: URLSearchParams): string | undefined => {
    if (isRegistrationToken(stage)) {
      const isValid = environment.uia.registrationTokens.includes(values.get("token") ?? "");
      return isValid ? undefined : "Invalid registration token.";
    }
    // As on Synapse's page, the button alone means consent.
    if (stage === "m.login.terms") return undefined;
    const captcha = values.get("g-recaptcha-response");
    const isSolved = captcha !== null && isCaptchaSolved(environment, captcha);
    if (stage === "m.login.recaptcha" && isSolved) return undefined;
    return values.has(AGREE) ? undefined : "This step is not completed yet.";
  };

  const respond = page(({ method, body, query, params: [stage = ""] }) => {
    if (WITHOUT_PAGE.test(stage)) throw refuse(404, "M_UNKNOWN", "Unknown auth stage type");
    const session = sessionOfPage(environment, query.get("session"));
    const error = method === "POST" ? inputError(stage, new URLSearchParams(body)) : undefined;
    if (method === "GET" || error) return stagePage(stage, error);
    completeStages(session, stage);
    return { title: "Done", text: "You may close this window.", done: true };
  });

  return {
    "GET client/v3/auth/:stage/fallback/web": respond,
    "POST client/v3/auth/:stage/fallback/web": respond,
    "GET client/unstable/policies/:id/:language": page(({ params: [id = "", language = ""] }) => {
      const title = POLICIES[id]?.[language];
      if (title === undefined) throw notFound("No such policy");
      return { title, text: "This homeserver is for tests. It stores no data." };
    }),
  };
}

function linkPages(environment: Environment): Routes {
  const confirm = page(({ url }) => {
    const next = followLink(environment, new URL(url));
    const text = "Go back to the page that you came from.";
    return next === url ? { title: "Your address is confirmed", text } : redirectResponse(next);
  }, "Request another message.");

  return {
    // As with Synapse, opening the link is enough, except for another password: mail programs open
    // links on their own.
    [`GET ${LINK_PATHS.register}`]: confirm,
    [`GET ${LINK_PATHS["account/3pid"]}`]: confirm,
    [`GET ${LINK_PATHS["account/password"]}`]: page(() => ({
      title: "Confirm that you want another password",
      button: "Confirm",
    })),
    [`POST ${LINK_PATHS["account/password"]}`]: confirm,
  };
}

export const providerPages = (environment: Environment): Routes => ({
  "GET authorize": page(({ url }) => ({
    title: "Sign in",
    links: {
      Continue: approvePage(environment, new URL(url)),
      Cancel: declinePage(environment, new URL(url), "access_denied"),
    },
  })),
  "GET account": page(({ url }) => accountPage(environment, new URL(url))),
  "POST account": page(({ url }) => {
    approvePage(environment, new URL(url));
    return { title: "Done" };
  }),
});

/** @see https://spec.matrix.org/latest/client-server-api/#fallback */
const DONE_SCRIPT = `
  if (window.onAuthDone) window.onAuthDone();
  else if (window.opener && window.opener.postMessage) window.opener.postMessage("authDone", "*");
`;
const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-inline-size: 26rem; margin: 2rem auto; padding-inline: 1rem; }
  input, button { font: inherit; padding: .5em .8em; }
  label { display: block; margin-block: .75rem; }
  .error { color: light-dark(#a3120a, #ffb3ab); }
`;

/** Like Synapse's pages, this page forbids framing and can send messages to its opener. */
async function htmlResponse(page: HtmlPage, status = 200): Promise<Response> {
  const { title, text, links = {}, button, hasTokenField, error, done } = page;
  const anchors = Object.entries(links).map(
    ([label, url]) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`,
  );
  const tokenField = `<label>Token <input name="token" autocomplete="off" required /></label>`;
  const form = `<form method="post">
    ${hasTokenField ? tokenField : ""}
    <button name="${AGREE}" value="on">${escapeHtml(button ?? "")}</button>
  </form>`;
  const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <title>${escapeHtml(title)}</title>
  <style>${STYLE}</style>
  <h1>${escapeHtml(title)}</h1>
  ${error ? `<p class="error" role="alert">${escapeHtml(error)}</p>` : ""}
  ${text ? `<p>${escapeHtml(text)}</p>` : ""}
  ${anchors.join("\n  ")}
  ${button ? form : ""}
  ${done ? `<script>${DONE_SCRIPT}</script>` : ""}
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${await hashOf(STYLE)}`,
    ...(done ? [`script-src ${await hashOf(DONE_SCRIPT)}`] : []),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return new Response(html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy.join("; "),
      "X-Frame-Options": "DENY",
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    },
  });
}

async function hashOf(source: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
