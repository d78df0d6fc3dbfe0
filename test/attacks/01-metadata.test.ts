// Rule 1: a homeserver cannot change what the user sees or agrees to at an issuer that is not its own.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type {
  MatrixAccountElement,
  MatrixLoginElement,
  OidcLoginElement,
} from "matrix-auth-elements";
import {
  generateAuthorizationParams,
  generateAuthorizationUrl,
  HomeserverClient,
  LegacySession,
  OidcFlowError,
  fetchAuthMetadata,
} from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import { inState, nextEvent, part, textIn } from "../elements/support/element.js";
import { HOMESERVER, hold, ISSUER, useTestServers } from "../elements/support/test-servers.js";
import { untilQuiet, waitFor } from "../elements/support/wait-for.js";
import { rejectionOf } from "../support/rejection.js";
import { restoreStubs } from "../support/stub.js";

type Members = Readonly<Record<string, unknown>>;

const EVIL = "https://evil.example";
const REALM = "https://shared.example/realms/good";
const DOCUMENT = "/.well-known/openid-configuration";
/** An app that the honest provider knows, and whose users it no longer asks. */
const CLIENT = "registered";

let servers: TestServers;
/** What the hostile homeserver changes in the honest provider's metadata. */
let changed: Members;
/** How it spells the JSON. */
let spelledAs: (text: string) => string;
let metadataPath: string;

/** Serves an honest homeserver with its provider, and a hostile homeserver that names that provider. */
async function serve(issuer = ISSUER): Promise<void> {
  const respond = async (url: string): Promise<Response> => {
    if (url === `${EVIL}/.well-known/matrix/client`) {
      return Response.json({ "m.homeserver": { base_url: EVIL } });
    }
    if (url === `${EVIL}/_matrix/client/${metadataPath}`) {
      const text = JSON.stringify({ ...(await fetchHonest()), ...changed });
      return new Response(spelledAs(text), { headers: { "Content-Type": "application/json" } });
    }
    return Response.json({ errcode: "M_UNRECOGNIZED" }, { status: 404 });
  };
  servers = await useTestServers({ issuer, fetch: (input) => respond(new Request(input).url) });
}

async function fetchHonest(): Promise<Members> {
  const { issuer } = servers;
  const request = new Request(`${HOMESERVER}/_matrix/client/v1/auth_metadata`);
  const honest = (await (await servers.respond(request)).json()) as Members;
  return { ...honest, issuer };
}

const hideDocument = (): void => {
  servers.refuse(DOCUMENT, 404, {}, { times: Infinity });
};

const stay = (event: Event): void => event.preventDefault();
const REDIRECTS = ["oidc-redirect", "matrix-login-redirect"];
before(() => REDIRECTS.forEach((type) => document.addEventListener(type, stay, true)));
after(() => REDIRECTS.forEach((type) => document.removeEventListener(type, stay, true)));

beforeEach(async () => {
  changed = {};
  spelledAs = (text) => text;
  metadataPath = "v1/auth_metadata";
  sessionStorage.clear();
  localStorage.clear();
  await serve();
});
afterEach(restoreStubs);

const make = async (properties: Partial<OidcLoginElement>): Promise<OidcLoginElement> =>
  Object.assign(await fixture<OidcLoginElement>(html`<oidc-login></oidc-login>`), properties);

/** Clicks. @returns The URL at the provider, or the code of the error. */
async function click(element: OidcLoginElement): Promise<string> {
  let outcome: string | undefined;
  element.addEventListener("oidc-redirect", (event) => (outcome = event.detail.url));
  await element.login();
  return outcome ?? element.error?.code ?? element.state;
}

const clientIn = (url: string): string | null => new URL(url).searchParams.get("client_id");

/** A code if the metadata is refused. */
const outcome = (homeserver: string): Promise<unknown> =>
  fetchAuthMetadata(homeserver).then(
    () => "accepted",
    (error: unknown) => (error instanceof OidcFlowError ? error.code : error),
  );

const authorize = (search: string, base = `${ISSUER}authorize`): Members => ({
  authorization_endpoint: `${base}${search}`,
});

/** Endpoints on one other origin. */
const movedTo = (origin: string): Members => ({
  ...authorize("", `${origin}/authorize`),
  token_endpoint: `${origin}/token`,
  revocation_endpoint: `${origin}/revoke`,
  registration_endpoint: `${origin}/register`,
  device_authorization_endpoint: undefined,
});

/** What a homeserver can say of an issuer that says otherwise. */
const ATTACKS: Readonly<Record<string, Members>> = {
  "no page is shown": authorize("?prompt=none"),
  "the name of the parameter is encoded": authorize("?%70rompt=none"),
  "the user is another": authorize("?login_hint=mallory"),
  "other claims are asked for": authorize("?claims=%7B%7D"),
  "another request is made": authorize("?request_uri=https%3A%2F%2Fevil.example%2Frequest"),
  "the authentication is weaker": authorize("?acr_values=0"),
  "the provider's own parameter is set": authorize("?kc_action=UPDATE_PASSWORD"),
  "another page of the issuer is opened": authorize("", `${ISSUER}other/authorize`),
  "the page's path is spelled otherwise": authorize("", `${ISSUER}a/%2e%2e/authorize/`),
  "the keys are another's": { jwks_uri: `${EVIL}/keys` },
  "the keys are at another path": { jwks_uri: `${ISSUER}other/keys` },
  "the account page is another's": { account_management_uri: `${EVIL}/account` },
  "the account page has a parameter": { account_management_uri: `${ISSUER}account?to=evil` },
  "the token endpoint is at another path": { token_endpoint: `${ISSUER}echo` },
  "the token endpoint has a query": { token_endpoint: `${ISSUER}token?log=1` },
  "the revocation endpoint is at another path": { revocation_endpoint: `${ISSUER}nothing` },
  "the registration endpoint is at another path": { registration_endpoint: `${ISSUER}echo` },
  "the host ends with a dot": movedTo("https://idp.example."),
  "the port is another": movedTo("https://idp.example:8443"),
  "the host is a subdomain": movedTo("https://www.idp.example"),
  "the path is in capitals": authorize("", `${ISSUER}AUTHORIZE`),
  "the path is encoded": authorize("", `${ISSUER}%61uthorize`),
  "the path has parameters": authorize("", `${ISSUER}authorize;prompt=none`),
  "the path has two slashes": authorize("", `${ISSUER}/authorize`),
  "the query is empty": authorize("?"),
  "the account page leaves the issuer": { account_management_uri: `${ISSUER}redirect?to=evil` },
  "the revocation endpoint is the token endpoint": { revocation_endpoint: `${ISSUER}token` },
  "a device endpoint is added": { device_authorization_endpoint: `${ISSUER}echo` },
};

describe("A homeserver whose issuer's document contradicts it", () => {
  for (const [what, members] of Object.entries(ATTACKS)) {
    it(`is refused when ${what}`, async () => {
      changed = members;
      expect(await outcome(EVIL)).to.equal("issuer_unconfirmed");
    });
  }

  for (const [what, text] of Object.entries({
    "twice, of which the last one counts": (honest: string) =>
      honest.replace(/\}$/, `,"authorization_endpoint":"${ISSUER}authorize?prompt=none"}`),
    "after a byte order mark": (honest: string) =>
      `\uFEFF${honest.replace(/(\/authorize)/, "$1?prompt=none")}`,
    "with escapes": (honest: string) =>
      honest.replace(/(\/authorize)/, "\\u002fauthorize?\\u0070rompt=none"),
    "in its prototype": (honest: string) =>
      honest.replace(
        /"authorization_endpoint":"[^"]*"/,
        `"__proto__":{"authorization_endpoint":"${ISSUER}authorize?prompt=none"}`,
      ),
    "as a list": (honest: string) =>
      honest.replace(/("authorization_endpoint":)("[^"]*")/, "$1[$2]"),
    "as a large number": (honest: string) =>
      honest.replace(/("authorization_endpoint":)"[^"]*"/, "$11e400"),
  })) {
    it(`is refused when its JSON has the endpoint ${what}`, async () => {
      spelledAs = text;
      expect(await outcome(EVIL)).not.to.equal("accepted");
    });
  }

  it("is refused when only the endpoint of before Matrix 1.15 contains it", async () => {
    metadataPath = "unstable/org.matrix.msc2965/auth_metadata";
    expect(await outcome(EVIL)).to.equal("accepted");
    changed = authorize("?prompt=none");
    expect(await outcome(EVIL)).to.equal("issuer_unconfirmed");
  });

  it("is accepted when it matches", async () => {
    expect(await outcome(EVIL)).to.equal("accepted");
    expect(await outcome(HOMESERVER)).to.equal("accepted");
  });

  for (const spelled of [
    ISSUER.replace(".example", ".example."),
    ISSUER.replace(".example", ".EXAMPLE"),
    ISSUER.replace(".example", ".example:443"),
    ISSUER.replace("https", "HTTPS"),
    ...["/", ".", "%2e", "a/..", "%20"].map((more) => ISSUER + more),
  ]) {
    it(`is rejected when it spells the issuer differently, as ${spelled}`, async () => {
      servers.override(DOCUMENT, async () => Response.json(await fetchHonest()), {
        times: Infinity,
      });
      changed = { issuer: spelled, ...authorize("?prompt=none") };
      expect(await outcome(EVIL)).not.to.equal("accepted");
    });
  }

  it("is accepted when it spells the same URLs differently", async () => {
    const { token_endpoint, authorization_endpoint } = await fetchHonest();
    changed = {
      token_endpoint: String(token_endpoint).replace("idp.example", "IDP.example:443"),
      authorization_endpoint: String(authorization_endpoint).replace("https:", "HTTPS:"),
    };
    const metadata = await fetchAuthMetadata(EVIL);
    expect(metadata.token_endpoint).to.equal(token_endpoint);
    expect(metadata.authorization_endpoint).to.equal(authorization_endpoint);
  });

  for (const [account_management_uri, expected] of [
    [`${ISSUER}profile.html`, "accepted"],
    [`${ISSUER}profile.html?to=evil`, "issuer_unconfirmed"],
    [`${EVIL}/account`, "issuer_unconfirmed"],
  ] as const) {
    it(`is ${expected} when it adds the account page ${account_management_uri}`, async () => {
      const { account_management_uri: _, ...honest } = await fetchHonest();
      servers.override(DOCUMENT, () => Response.json(honest), { times: Infinity });
      changed = { account_management_uri };
      expect(await outcome(EVIL)).to.equal(expected);
    });
  }

  for (const [path, expected] of [
    ["good/account", "accepted"],
    ["evil/account", "issuer_unconfirmed"],
    ["good-but-evil/account", "issuer_unconfirmed"],
    ["good/..%2Fevil/account", "issuer_unconfirmed"],
    ["good/..;/evil/account", "issuer_unconfirmed"],
  ] as const) {
    it(`is ${expected} when it adds ${path}, and the issuer shares its host with neighbors`, async () => {
      await serve(REALM);
      const { account_management_uri: _, ...honest } = await fetchHonest();
      servers.override(DOCUMENT, () => Response.json(honest), { times: Infinity });
      changed = { account_management_uri: `https://shared.example/realms/${path}` };
      expect(await outcome(EVIL)).to.equal(expected);
    });
  }

  it("is accepted if it omits members of the issuer's document", async () => {
    changed = { jwks_uri: undefined, account_management_uri: undefined };
    const metadata = await fetchAuthMetadata(EVIL);
    expect(metadata.jwks_uri).to.equal(`${ISSUER}keys`);
    expect(metadata.account_management_uri).to.match(/^https:\/\/idp\.example\//);
  });

  it("can list a grant that the issuer's document doesn't", async () => {
    const grants = ["authorization_code", "refresh_token"];
    const honest = await fetchHonest();
    const document = { ...honest, grant_types_supported: ["authorization_code"] };
    servers.override(DOCUMENT, () => Response.json(document), { times: Infinity });
    changed = { grant_types_supported: grants };
    expect((await fetchAuthMetadata(EVIL)).grant_types_supported).to.deep.equal(grants);
  });

  it("does not decide how responses are checked", async () => {
    changed = {
      authorization_response_iss_parameter_supported: false,
      response_modes_supported: ["query"],
      id_token_signing_alg_values_supported: ["none"],
      prompt_values_supported: ["none"],
    };
    const { authorization_response_iss_parameter_supported: iss, ...metadata } =
      await fetchAuthMetadata(EVIL);
    expect(iss).to.equal(true);
    expect(metadata.response_modes_supported).to.deep.equal(["query", "fragment"]);
    expect(metadata.id_token_signing_alg_values_supported).not.to.include("none");
    expect(metadata.prompt_values_supported).to.deep.equal(["create"]);
  });

  it("can't promise an iss that the issuer's document doesn't", async () => {
    const { authorization_response_iss_parameter_supported: _, ...honest } = await fetchHonest();
    servers.override(DOCUMENT, () => Response.json(honest), { times: Infinity });
    changed = { authorization_response_iss_parameter_supported: true };
    expect(await fetchAuthMetadata(EVIL)).not.to.have.property(
      "authorization_response_iss_parameter_supported",
    );
  });
});

describe("An issuer without a readable document", () => {
  for (const [what, members] of Object.entries({
    "no page is shown": authorize("?prompt=none"),
    "the name of the parameter is encoded": authorize("?tenant=a&%70rompt=none"),
    "the name is in capitals, for a server that ignores case": authorize("?PROMPT=none"),
    "the parameter is a list": authorize("?prompt[]=none"),
    "the parameter has a bracket that isn't closed": authorize("?login[hint=mallory"),
    "the parameter follows a semicolon": authorize("?tenant=a;prompt=none"),
    "the user is another": authorize("?login_hint=mallory"),
    "another request is made": authorize("?request_uri=urn%3Aa"),
    "the user is another's claim": authorize("?sub=mallory"),
    "an offer of credentials is made": authorize("?issuer_state=mallory"),
    "another presentation is asked for": authorize("?presentation_definition_uri=urn%3Aa"),
    "other servers vouch for the app": authorize("?trust_chain=%5B%5D"),
    "a ticket of another server is used": { token_endpoint: `${ISSUER}token?ticket=evil` },
    "the path leaves it, encoded twice": authorize("", `${ISSUER}a/%252e%252e/%252E%252E/admin`),
    "the path leaves it with a slash, encoded three times": authorize(
      "",
      `${ISSUER}..%25252fadmin`,
    ),
    "the token endpoint has a parameter": { token_endpoint: `${ISSUER}token?client_id=evil` },
    "the keys are another's": { jwks_uri: `${EVIL}/keys` },
    "the account page is another's": { account_management_uri: `${EVIL}/account` },
  })) {
    it(`is refused when ${what}`, async () => {
      hideDocument();
      changed = members;
      expect(await outcome(EVIL)).not.to.equal("accepted");
    });
  }

  it("is accepted if every URL is below it, even with a query", async () => {
    hideDocument();
    expect(await outcome(HOMESERVER)).to.equal("accepted");
    changed = authorize("?tenant=a");
    expect(await outcome(EVIL)).to.equal("accepted");
  });

  it("is rejected if its URL is a path of the honest issuer without a document", async () => {
    changed = { issuer: `${ISSUER}nothing` };
    expect(await outcome(EVIL)).not.to.equal("accepted");
  });

  it("is rejected if the endpoints belong to its neighbor on a shared host", async () => {
    await serve(REALM);
    hideDocument();
    expect(await outcome(EVIL)).to.equal("accepted");
    for (const realm of ["evil", "good-but-evil", "good/../evil", "good%2F..%2Fevil"]) {
      const honest = await fetchHonest();
      const moved = JSON.stringify(honest).replaceAll("realms/good", `realms/${realm}`);
      changed = { ...(JSON.parse(moved) as Members), issuer: REALM };
      expect(await outcome(EVIL)).not.to.equal("accepted");
    }
  });

  it("is not trusted for a redirect's target, whose document isn't the issuer's own", async () => {
    servers.override(DOCUMENT, () => Response.redirect(`${EVIL}/document`), { times: Infinity });
    changed = { jwks_uri: `${EVIL}/keys` };
    expect(await outcome(EVIL)).not.to.equal("accepted");
  });
});

describe("An issuer whose document is redirected", () => {
  const PROVIDER = "https://login.provider.example";
  const elsewhere = (): Promise<unknown> =>
    fetchAuthMetadata(EVIL, { allowedOrigins: [PROVIDER] }).then(
      () => "accepted",
      (error: unknown) => (error instanceof OidcFlowError ? error.code : error),
    );
  beforeEach(() => {
    const redirect = () => Response.redirect(`${PROVIDER}${DOCUMENT}`);
    servers.override(DOCUMENT, redirect, { times: Infinity });
  });

  it("is accepted if every URL is below it", async () => {
    expect(await outcome(EVIL)).to.equal("accepted");
  });

  // OpenID Connect Discovery, section 4.2: the status is 200. A path of the issuer's host might redirect anywhere.
  it("is rejected if its endpoints are on another origin, unless the app allows them", async () => {
    changed = Object.fromEntries(
      Object.entries(await fetchHonest())
        .filter(([name]) => name !== "issuer")
        .map(([name, value]) => [
          name,
          typeof value === "string" ? value.replace(ISSUER, `${PROVIDER}/`) : value,
        ]),
    );
    expect(await outcome(EVIL)).to.equal("unexpected_redirect");
    expect(await elsewhere()).to.equal("accepted");
  });
});

describe("An authorization URL", () => {
  const build = async (endpoint: string): Promise<URLSearchParams> => {
    const params = generateAuthorizationParams({ redirectUri: "https://app.example/" });
    return new URL(await generateAuthorizationUrl(endpoint, CLIENT, params)).searchParams;
  };

  for (const name of [
    ...["prompt", "login_hint", "claims", "request", "request_uri", "acr_values", "id_token_hint"],
    ...["max_age", "display", "ui_locales", "claims_locales", "registration", "resource"],
    ...["authorization_details", "PROMPT", "%70rompt", "prompt[]", "prompt[0]", "tenant=a;prompt"],
    ...[
      "login.hint",
      "+prompt",
      "prompt%00",
      "prompt%00x",
      "login[hint",
      "max%5Bage",
      "request[uri",
    ],
    ...["id[token_hint", "prompt%0A", "%EF%BB%BFprompt", "login%20hint", "prompt[][x]", "&prompt"],
  ]) {
    it(`has no ${name} of the endpoint's own query`, async () => {
      const parameters = await build(`${ISSUER}authorize?a=b&${name}=evil`);
      expect([...parameters].flat().join()).not.to.contain("evil");
      expect(parameters.get("a")).to.equal("b");
    });
  }

  it("keeps the endpoint's other parameters", async () => {
    const parameters = await build(`${ISSUER}authorize?tenant=a&policy=b%26c`);
    expect(parameters.get("tenant")).to.equal("a");
    expect(parameters.get("policy")).to.equal("b&c");
  });
});

describe("<oidc-login> with a hostile homeserver", () => {
  for (const [how, properties] of Object.entries({
    "with a fixed client ID": { clientId: CLIENT },
    "with a registration": {},
    "with a client for reuse": { registration: "reuse" as const },
  })) {
    for (const members of [authorize("?prompt=none"), authorize("", `${ISSUER}other`)]) {
      it(`does not leave the page ${how} for ${String(members.authorization_endpoint)}`, async () => {
        const element = await make({ homeserver: EVIL, ...properties });
        changed = members;
        expect(await click(element)).to.equal("issuer_unconfirmed");
        expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.to.contain("client");
      });
    }

    it(`opens the honest provider ${how} with the honest homeserver`, async () => {
      const element = await make({ homeserver: HOMESERVER, ...properties });
      expect(await click(element)).to.match(/^https:\/\/idp\.example\//);
    });
  }

  it("registers again, although the user has approved the client for the honest homeserver", async () => {
    const registration = "reuse" as const;
    const url = await click(await make({ homeserver: HOMESERVER, registration }));
    sessionStorage.clear();
    const again = await click(await make({ homeserver: HOMESERVER, registration }));
    expect(clientIn(again)).to.equal(clientIn(url));
    const other = await click(await make({ homeserver: EVIL, registration }));
    expect(clientIn(other)).not.to.equal(clientIn(url));
  });

  it("doesn't reuse the client of a pending sign-in to the honest homeserver", async () => {
    const url = await click(await make({ homeserver: HOMESERVER }));
    const again = await click(await make({ homeserver: HOMESERVER }));
    expect(clientIn(again)).to.equal(clientIn(url));
    const other = await click(await make({ homeserver: EVIL }));
    expect(clientIn(other)).not.to.equal(clientIn(url));
  });

  for (const homeserver of [HOMESERVER, EVIL]) {
    it(`sends at most three requests one after another, because it reads the document during the registration, with ${homeserver}`, async () => {
      const element = await make({ homeserver });
      const documentRead = hold(servers, DOCUMENT);
      const registered = hold(servers, "/register");
      const redirected = nextEvent(element, "oidc-redirect");
      let isLeft = false;
      element.addEventListener("oidc-redirect", () => (isLeft = true));
      void element.login();
      await Promise.all([documentRead.asked, registered.asked]);
      registered.release();
      await untilQuiet();
      expect(isLeft).to.equal(false);
      documentRead.release();
      await redirected;
    });
  }
});

describe("<matrix-login> with a hostile homeserver", () => {
  const open = async (homeserver: string): Promise<MatrixLoginElement> => {
    const element = await fixture<MatrixLoginElement>(
      html`<matrix-login homeserver=${homeserver} client-id=${CLIENT}></matrix-login>`,
    );
    await inState(element, "ready");
    return element;
  };
  const start = (element: MatrixLoginElement): void => {
    const button = element.shadowRoot?.querySelector("oidc-login");
    part(button as HTMLElement, "button").click();
  };

  it("does not leave the page", async () => {
    changed = authorize("?prompt=none");
    const element = await open(EVIL);
    start(element);
    await waitFor(() => element.state !== "ready" && element.state !== "redirecting");
    expect((element.error as OidcFlowError | undefined)?.code).to.equal("issuer_unconfirmed");
  });

  it("opens the honest homeserver's provider", async () => {
    const element = await open(HOMESERVER);
    const redirect = nextEvent(element, "matrix-login-redirect");
    start(element);
    expect(new URL((await redirect).detail.url).origin).to.equal(new URL(ISSUER).origin);
  });
});

describe("<matrix-account> of a homeserver that names another account page", () => {
  const show = async (getAuthMetadata?: () => Promise<Members>): Promise<MatrixAccountElement> => {
    servers = await useTestServers({ accounts: { alice: "secret" } });
    const session = new LegacySession(servers.signIn("alice"));
    const client = new HomeserverClient({ baseUrl: HOMESERVER, session });
    if (getAuthMetadata) Object.assign(client, { getAuthMetadata });
    const element = await fixture<MatrixAccountElement>(
      html`<matrix-account .client=${client}></matrix-account>`,
    );
    await waitFor(() => ["ready", "error"].includes(element.state));
    await element.updateComplete;
    return element;
  };
  const links = ({ shadowRoot }: MatrixAccountElement): readonly string[] =>
    [...(shadowRoot?.querySelectorAll("a") ?? [])].map(({ href }) => href);

  it("does not link to it, whichever client the page uses", async () => {
    const foreign = { account_management_uri: `${EVIL}/account` };
    const element = await show(async () => ({ ...(await fetchHonest()), ...foreign }));
    expect(links(element).join()).not.to.contain("evil");
    expect(textIn(element)).not.to.be.empty;
  });

  it("links to the honest provider's page", async () => {
    expect(links(await show())).not.to.be.empty;
    expect(links(await show(fetchHonest))).not.to.be.empty;
  });

  it("manages the account on the homeserver if the page's client has no provider", async () => {
    const none = (): Promise<Members> => Promise.resolve(undefined as unknown as Members);
    expect(await show(none)).to.have.property("management", "homeserver");
  });
});

describe("An issuer of the wrong type", () => {
  for (const member of [
    "issuer",
    "authorization_endpoint",
    "jwks_uri",
    "response_types_supported",
  ]) {
    for (const value of [
      { toString: 1 },
      [{ toString: 1 }],
      { toString: 1, valueOf: 1 },
      1,
      true,
    ]) {
      it(`results in an error with a code: ${member} is ${JSON.stringify(value)}`, async () => {
        changed = { [member]: value };
        expect(await rejectionOf(fetchAuthMetadata(EVIL))).to.have.property(
          "code",
          "metadata_invalid",
        );
      });
    }
  }
});
