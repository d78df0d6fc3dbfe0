import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  discoverHomeserver,
  HomeserverClient,
  InteractiveAuth,
  loginWithPassword,
  MatrixError,
  OidcSession,
  registerOidcClient,
  revokeTokens,
  type UiaDialogElement,
} from "matrix-auth-elements";
// It is internal: a page's failed import can't be tried again in a test.
// eslint-disable-next-line @typescript-eslint/no-restricted-imports
import { masking } from "../../dist/core/http/body-members.js";
import { fill, ready } from "../elements/matrix-login/fixture.ts";
import { inState, nextEvent, part, textIn } from "../elements/support/element.ts";
import { useTestServers } from "../elements/support/test-servers.ts";
import { waitFor } from "../elements/support/wait-for.ts";
import { everyTextIn, rejectionOf } from "../support/rejection.ts";
import { json, type Responder, ScriptedFetch } from "../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../support/stub.ts";

const HS = "https://hs.example";
const ISSUER = "https://idp.example";
const SECRET = "Korrekt#Pferd+Batterie/äß";
const ASCII = "syt_YWxpY2U_QkDcAbNyWzXvUtSrQpOn_1aB2cD";

const bytes = (text: string): readonly number[] => [...new TextEncoder().encode(text)];
const base64 = (text: string): string => btoa(String.fromCharCode(...bytes(text)));
const hex = (text: string, before = ""): string =>
  bytes(text)
    .map((byte) => before + byte.toString(16).padStart(2, "0"))
    .join("");
const codes = (text: string, of: (code: number) => string): string =>
  Array.from(text, (each) => of(each.codePointAt(0) ?? 0)).join("");
/** As a program reads UTF-8 that expects Latin-1. */
const misread = (text: string): string => String.fromCharCode(...bytes(text));
const lower = (text: string): string => text.replace(/%../g, (each) => each.toLowerCase());

/** The ways in which a server may repeat a secret. */
const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "in lower case": (secret) => secret.toLowerCase(),
  "in upper case": (secret) => secret.toUpperCase(),
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (secret) => lower(encodeURIComponent(secret)),
  "percent-encoded, each letter": (secret) => hex(secret, "%"),
  "percent-encoded twice": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "percent-encoded three times": (secret) =>
    encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
  "as a form": (secret) => new URLSearchParams({ x: secret }).toString(),
  "in base64": base64,
  "in base64url": (secret) => base64(secret).replace(/\+/g, "-").replace(/\//g, "_"),
  "in base64 of a longer text": (secret) => base64(`alice:${secret}!`),
  "in base64 of a form": (secret) => base64(`password=${encodeURIComponent(secret)}`),
  "in base64 with line breaks": (secret) => base64(secret).replace(/.{8}/g, "$&\r\n"),
  "in base64 twice": (secret) => base64(base64(secret)),
  "in percent-encoded base64": (secret) => encodeURIComponent(base64(`${secret}?`)),
  "in hexadecimal": hex,
  "in hexadecimal with colons": (secret) => hex(secret, ":").toUpperCase(),
  "in base64 of hexadecimal": (secret) => base64(hex(secret)),
  "with escapes of JSON": (secret) =>
    codes(secret, (code) => `\\u${code.toString(16).padStart(4, "0")}`),
  "with escapes of JavaScript": (secret) =>
    codes(secret, (code) => (code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : "")),
  "with escapes of code points": (secret) => codes(secret, (code) => `\\u{${code.toString(16)}}`),
  "with escapes of CSS": (secret) => codes(secret, (code) => `\\${code.toString(16)} `),
  "in JSON inside JSON": (secret) => JSON.stringify(JSON.stringify({ secret })),
  "with entities of HTML": (secret) => codes(secret, (code) => `&#${code};`),
  "with hexadecimal entities": (secret) => codes(secret, (code) => `&#x${code.toString(16)};`),
  "in quoted-printable": (secret) => hex(secret, "=").toUpperCase(),
  "from its end": (secret) => Array.from(secret).reverse().join(""),
  "with spaces between its letters": (secret) => Array.from(secret).join(" "),
  "with invisible characters between its letters": (secret) => Array.from(secret).join("\u200B"),
  "with marks on its letters": (secret) => Array.from(secret, (each) => `${each}\u0336`).join(""),
  "with a tag around each letter": (secret) =>
    Array.from(secret, (each) => `<b>${each}</b>`).join(""),
  "in another character set": misread,
  "in another character set, twice": (secret) => misread(misread(secret)),
  "with octal escapes": (secret) =>
    bytes(secret)
      .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
      .join(""),
  "as a list of bytes": (secret) => bytes(secret).join(", "),
  "as a list of hexadecimal bytes": (secret) =>
    bytes(secret)
      .map((byte) => `0x${byte.toString(16)}`)
      .join(", "),
  "as a list of code points": (secret) =>
    codes(secret, (code) => `U+${code.toString(16).padStart(4, "0")} `),
  "with entities of many zeros": (secret) =>
    codes(secret, (code) => `&#${String(code).padStart(12, "0")};`),
  "with named entities": (secret) =>
    secret.replace("+", "&plus;").replace("ä", "&auml;").replace("ß", "&szlig;"),
  "in base64 of UTF-16": (secret) =>
    btoa(codes(secret, (code) => `${String.fromCharCode(code)}\0`)),
  "in base64 of Latin-1": (secret) => btoa(secret),
};

/** A homeserver's error that repeats a text everywhere. */
const repeating = (echo: string, more: object = {}): Responder =>
  json(
    {
      errcode: "M_FORBIDDEN",
      error: `Not valid: ${echo}, try again`,
      error_description: `Refused: ${echo}`,
      nested: { list: [`x ${echo}`, { [`key ${echo}`]: echo }] },
      ...more,
    },
    403,
  );

/** Each request with a secret, and the place where it is sent. */
const REQUESTS: Readonly<
  Record<
    string,
    readonly [string, (secret: string, fetch: typeof window.fetch) => Promise<unknown>]
  >
> = {
  "the password of a sign-in": [
    `POST ${HS}/_matrix/client/v3/login`,
    (password, fetch) =>
      loginWithPassword(
        { homeserverUrl: HS, identifier: { type: "m.id.user", user: "alice" }, password },
        { fetch },
      ),
  ],
  "the password of a registration": [
    `POST ${HS}/_matrix/client/v3/register`,
    (password, fetch) => client(fetch).register({ username: "alice", password }),
  ],
  "a new password": [
    `POST ${HS}/_matrix/client/v3/account/password`,
    (password, fetch) => client(fetch).setPassword(null, password),
  ],
  "the password of a stage": [
    `POST ${HS}/_matrix/client/v3/account/deactivate`,
    (password, fetch) =>
      client(fetch).deactivateAccount({ type: "m.login.password", session: "s", password }),
  ],
  "the input of a stage that the library does not know": [
    `POST ${HS}/_matrix/client/v3/account/deactivate`,
    (answer, fetch) =>
      client(fetch).deactivateAccount({ type: "org.example.riddle", in: [{ answer }] }),
  ],
  "a client secret": [
    `POST ${HS}/_matrix/client/v3/account/3pid/add`,
    (client_secret, fetch) => client(fetch).addThreePidOnly({ sid: "the-sid-1", client_secret }),
  ],
  "the code from a text message": [
    "POST https://sms.example/submit",
    (code, fetch) =>
      client(fetch).submitMsisdnTokenOtherUrl("https://sms.example/submit", "sid1", "s3cr3t", code),
  ],
  "a refresh token of the legacy API": [
    `POST ${HS}/_matrix/client/v3/refresh`,
    (token, fetch) => client(fetch).refreshToken(token),
  ],
};

const client = (fetch: typeof window.fetch, accessToken = "an-access-token"): HomeserverClient =>
  new HomeserverClient({ baseUrl: HS, accessToken, fetch });

async function errorOf(request: string, respond: Responder, secret: string): Promise<unknown> {
  const [route, send] = REQUESTS[request] ?? [];
  if (!route || !send) throw new Error("no such request");
  return rejectionOf(send(secret, new ScriptedFetch({ [route]: respond }).fetch));
}

describe("An error about a request to a homeserver", () => {
  for (const [how, encode] of Object.entries(ENCODINGS)) {
    it(`contains no password that the homeserver repeats ${how}`, async () => {
      const echo = encode(SECRET);
      const error = await errorOf("the password of a sign-in", repeating(echo), SECRET);
      expect(everyTextIn(error)).to.not.contain(echo);
      const inData = await errorOf("a new password", repeating(echo), SECRET);
      expect(everyTextIn(inData)).to.not.contain(echo);
      expect(inData).to.include({ errcode: "M_FORBIDDEN", httpStatus: 403 });
    });
  }

  describe("with a very long password", () => {
    const LONG = Array.from({ length: 90 }, (_, i) => `${SECRET}${i}`).join("");
    for (const [how, encode] of Object.entries(ENCODINGS)) {
      it(`contains neither its start nor its end, which the homeserver repeats ${how}`, async () => {
        const echo = encode(LONG);
        const body = { errcode: "M_FORBIDDEN", error: `No: ${echo}`, other: [`x${echo}`] };
        const error = await errorOf("a new password", json(body, 403), LONG);
        const texts = everyTextIn(error);
        for (const part of [echo.slice(0, 40), echo.slice(-40)]) expect(texts).not.to.contain(part);
        expect(error).to.include({ errcode: "M_FORBIDDEN", httpStatus: 403 });
      });
    }

    it("contains no password with half a character at the length up to which it is looked for", async () => {
      const password = `${"ab".repeat(1 << 10).slice(1)}${"\u{1F40E}".repeat(99)}`;
      const error = await errorOf("a new password", repeating(base64(password)), password);
      expect(everyTextIn(error)).not.to.contain(base64(password).slice(-40));
    });

    it("contains neither of two of which one is the start of the other", async () => {
      const start = ASCII.repeat(100).slice(0, 1 << 11);
      const long = `${start}-and-the-end-of-it`;
      const body = { errcode: "M_FORBIDDEN", error: `No: ${long}` };
      const { fetch } = new ScriptedFetch({
        [`POST ${HS}/_matrix/client/v3/account/deactivate`]: json(body, 403),
      });
      const twoSecrets = client(fetch, start).deactivateAccount({ token: long, type: "x" });
      expect(everyTextIn(await rejectionOf(twoSecrets))).not.to.contain("the-end");
    });
  });

  for (const request of Object.keys(REQUESTS)) {
    it(`does not contain ${request}`, async () => {
      const error = await errorOf(request, repeating(SECRET), SECRET);
      expect(everyTextIn(error)).to.not.contain(SECRET);
    });

    it(`contains the homeserver's reason, which does not repeat ${request}`, async () => {
      const respond = json({ errcode: "M_UNKNOWN", error: "Not today" }, 403);
      expect(everyTextIn(await errorOf(request, respond, SECRET))).to.contain("Not today");
    });
  }

  /** Encodings that nothing decodes, for which the library has no list. */
  const UNKNOWN_ENCODINGS: Readonly<Record<string, string>> = {
    "in base32": "ORUGKIDTMVRXEZLU",
    compressed: "H4sIAAAAAAAAAytJzEssSi0uBgBYxkfECQAAAA==",
    "as a hash": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
  };
  for (const [how, encoded] of Object.entries(UNKNOWN_ENCODINGS)) {
    it(`says nothing that might be a password ${how}`, async () => {
      const body = { errcode: "M_FORBIDDEN", error: `Not valid: ${encoded}, try again` };
      const server = new ScriptedFetch({
        [`POST ${HS}/_matrix/client/v3/register`]: json(body, 403),
      });
      const request = { username: "alice", password: "the secret" };
      const error = await rejectionOf(client(server.fetch).register(request));
      expect(error).to.include({ reason: "Not valid: …, try again" });
      expect(everyTextIn(error)).not.to.contain(encoded);
    });
  }

  it("twin: has the words and the address in the homeserver's message", async () => {
    const said =
      "Too many accounts for alice.smith.1985: Datenschutzgrundverordnung, 2026-11-30, see https://hs.example/help/4";
    const body = {
      errcode: "M_FORBIDDEN",
      error: said,
      consent_uri: `${HS}/x?h=${"0a".repeat(32)}`,
    };
    const server = new ScriptedFetch({
      [`POST ${HS}/_matrix/client/v3/register`]: json(body, 403),
    });
    const request = { username: "alice", password: "the secret" };
    const error = await rejectionOf(client(server.fetch).register(request));
    expect(error)
      .to.include({ reason: said })
      .and.to.have.nested.property("data.consent_uri", body.consent_uri);
  });

  it("doesn't contain a code that the homeserver rejects with a success status", async () => {
    const respond = json({ success: false, error: `Not ${SECRET}`, [SECRET]: SECRET });
    const error = await errorOf("the code from a text message", respond, SECRET);
    expect(error).to.include({ errcode: "M_TOKEN_INCORRECT" });
    expect(everyTextIn(error)).to.not.contain(SECRET);
  });

  it("does not contain a code that the homeserver repeats as a number", async () => {
    const respond = json({ success: false, code: 417_283 });
    const error = await errorOf("the code from a text message", respond, "417283");
    expect(everyTextIn(error)).to.not.contain("417283");
  });

  for (const errcode of ["M_FORBIDDEN", "M_UNKNOWN_TOKEN", ASCII]) {
    it(`does not contain the access token, with the code ${errcode}`, async () => {
      const respond = json({ errcode, error: `Bearer ${ASCII} is unknown`, [ASCII]: 1 }, 401);
      const { fetch } = new ScriptedFetch({ [`GET ${HS}/_matrix/client/v3/devices`]: respond });
      const error = await rejectionOf(client(fetch, ASCII).getDevices());
      expect(error).to.be.instanceOf(MatrixError);
      expect(everyTextIn(error)).to.not.contain(ASCII);
      expect(everyTextIn(error)).to.contain("… is unknown");
    });
  }

  for (const secret of ["a", "M", "1", "ng", "x9z"]) {
    it(`contains no text with the short password ${secret}, because a mask would reveal its letters`, async () => {
      const error = await errorOf(
        "a new password",
        json({ errcode: "M_FORBIDDEN", error: "a MANGLED text: 1x9z", flows: [] }, 403),
        secret,
      );
      expect(error).to.include({ errcode: "M_FORBIDDEN" });
      expect(everyTextIn(error)).to.not.contain("MANGLED");
    });
  }

  it("does not contain the request that the app's own fetch adds to its error", async () => {
    const { fetch } = new ScriptedFetch({
      [`POST ${HS}/_matrix/client/v3/login`]: ({ body, headers }) => {
        const failure = new Error(`Cannot send ${body}`);
        throw Object.assign(failure, { config: { data: body, headers: [...headers] } });
      },
    });
    const identifier = { type: "m.id.user", user: "alice" } as const;
    const call = loginWithPassword({ homeserverUrl: HS, identifier, password: SECRET }, { fetch });
    expect(everyTextIn(await rejectionOf(call))).to.not.contain(SECRET);
  });

  for (const [where, failureWith] of Object.entries({
    "a cause of its cause": (text: string) =>
      new Error("1", { cause: new Error("2", { cause: new Error(text) }) }),
    "one of its errors": (text: string) => new AggregateError([new Error(text)], "All failed"),
    "its name": (text: string) => Object.assign(new Error("failed"), { name: text }),
    "a hidden member": (text: string) =>
      Object.defineProperty(new Error("failed"), "request", { value: text }),
    "the request that it keeps": (body: string) =>
      Object.assign(new Error("failed"), { request: new Request(HS, { method: "POST", body }) }),
    "its headers": (text: string) =>
      Object.assign(new Error("failed"), { headers: new Headers({ "X-Password": btoa(text) }) }),
  })) {
    it(`does not contain the password that the app's own fetch repeats in ${where}`, async () => {
      const fetch = (): Promise<never> => Promise.reject(failureWith("hunter2-hunter2"));
      const identifier = { type: "m.id.user", user: "alice" } as const;
      const password = "hunter2-hunter2";
      const call = loginWithPassword({ homeserverUrl: HS, identifier, password }, { fetch });
      const text = everyTextIn(await rejectionOf(call));
      expect(text).to.not.contain(password).and.to.not.contain(btoa(password));
      expect(text).to.not.contain("a whole message");
    });
  }

  it("keeps the app's own error with causes that contain no secret", async () => {
    const failure = new TypeError("fetch failed", {
      cause: Object.assign(new AggregateError([new Error("ECONNREFUSED")]), { port: 443 }),
    });
    Object.assign(failure, { self: failure });
    const fetch = (): Promise<never> => Promise.reject(failure);
    expect(await rejectionOf(client(fetch).whoami())).to.have.property("cause", failure);
  });

  it("does not contain a password that the homeserver repeats as a code", async () => {
    const body = { errcode: "M_HUNTER_HUNTER", error: "No" };
    const error = await errorOf("a new password", json(body, 403), "hunter_hunter");
    expect(everyTextIn(error)).to.not.contain("HUNTER");
  });

  it("contains the specification's codes, even if the password equals one of them", async () => {
    const body = { errcode: "M_PASSWORD_TOO_SHORT", error: "No" };
    const error = await errorOf("a new password", json(body, 400), "password");
    expect(error).to.include({ errcode: "M_PASSWORD_TOO_SHORT" });
  });

  it("about another user does not contain the password if the homeserver returns it as that user's name", async () => {
    const { fetch } = new ScriptedFetch({
      [`POST ${HS}/_matrix/client/v3/login`]: json({
        user_id: "@hunter2-hunter2:hs.example",
        device_id: "DEVICE",
        access_token: ASCII,
      }),
      [`POST ${HS}/_matrix/client/v3/logout`]: json({}),
    });
    const settings = {
      homeserverUrl: HS,
      identifier: { type: "m.id.user", user: "alice" },
      password: "hunter2-hunter2",
      expectedUserId: "@alice:hs.example",
    } as const;
    const error = await rejectionOf(loginWithPassword(settings, { fetch }));
    expect(error).to.include({ code: "user_mismatch" });
    expect(everyTextIn(error)).to.not.contain(settings.password);
    expect(everyTextIn(error)).to.contain("@alice:hs.example");
  });

  it("keeps the app's own error if that contains no secret", async () => {
    const failure = new TypeError("Failed to fetch");
    const fetch = (): Promise<never> => Promise.reject(failure);
    expect(await rejectionOf(client(fetch).whoami())).to.have.property("cause", failure);
  });

  describe("while the code that masks secrets can't be loaded", () => {
    beforeEach(() => {
      stub(masking, "load", { value: () => Promise.reject(new TypeError("Failed to load")) });
    });
    afterEach(restoreStubs);

    for (const request of Object.keys(REQUESTS)) {
      it(`contains nothing from the response, and allows a retry: ${request}`, async () => {
        const error = await errorOf(request, repeating(SECRET), SECRET);
        expect(error).to.include({ code: "network_error" });
        expect(everyTextIn(error)).to.not.contain(SECRET);
      });
    }

    it("contains nothing from the app's own error", async () => {
      const fetch = (): Promise<never> => Promise.reject(new TypeError(`fetch failed (${ASCII})`));
      const error = await rejectionOf(client(fetch, ASCII).whoami());
      expect(error).to.include({ code: "network_error" });
      expect(everyTextIn(error)).to.not.contain(ASCII);
    });

    it("keeps the error of the platform's fetch", async () => {
      const failure = new TypeError("Failed to fetch");
      const error = await rejectionOf(client(() => Promise.reject(failure)).whoami());
      expect(error).to.have.property("cause", failure);
    });
  });

  it("is created without normalizing long sequences of marks, for which engines take quadratic time", async () => {
    const marks = "\u0345\u0301\u0327\u0334".repeat(1 << 11);
    const body = { errcode: "M_UNKNOWN", error: "No", list: Array(16).fill(marks) as string[] };
    const normalized: string[] = [];
    const { normalize } = String.prototype;
    stub(String.prototype, "normalize", {
      value(this: string, form?: string) {
        normalized.push(this);
        return normalize.call(this, form);
      },
    });
    const error = await errorOf("a new password", json(body, 403), SECRET);
    restoreStubs();
    expect(error).to.include({ errcode: "M_UNKNOWN", message: "No" });
    const longest = Math.max(
      ...normalized.flatMap((text) => text.match(/\p{M}+/gu)?.map(({ length }) => length) ?? [0]),
    );
    expect(longest).to.equal(16);
  });

  it("does not grow with the depth of the response", async () => {
    const deep = `{"errcode":"M_UNKNOWN","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const respond: Responder = () => new Response(deep, { status: 403 });
    const error = await errorOf("a new password", respond, SECRET);
    expect(error).to.include({ errcode: "M_UNKNOWN" });
  });
});

describe("An error about the name of a homeserver", () => {
  for (const name of [
    `https://alice:${ASCII}@hs.example`,
    `https://alice:${ASCII}/x@hs.example/path`,
    `HTTPS:alice:${ASCII}@hs.example`,
    `alice:${ASCII}@hs.example`,
    `@alice:hs.example:${ASCII}@hs.example`,
    `https://hs.example/?access_token=${ASCII}`,
    `https://hs.example/#loginToken=${ASCII}`,
  ]) {
    it(`doesn't repeat the secret in ${name.replace(ASCII, "…")}`, async () => {
      const error = await rejectionOf(discoverHomeserver(name));
      expect(error).to.include({ code: "homeserver_invalid" });
      expect(everyTextIn(error)).to.not.contain(ASCII);
    });
  }

  for (const name of ["hs example", "@alice:hs.example:1:2", "ftp://hs.example"]) {
    it(`repeats a name without a secret: ${name}`, async () => {
      expect(everyTextIn(await rejectionOf(discoverHomeserver(name)))).to.contain(name);
    });
  }
});

describe("An error about a request to a provider", () => {
  const ENDPOINT = `POST ${ISSUER}/x`;
  const metadata = { revocation_endpoint: `${ISSUER}/x`, token_endpoint: `${ISSUER}/x` };

  for (const [how, encode] of Object.entries(ENCODINGS)) {
    it(`contains no token that the provider repeats ${how}`, async () => {
      const echo = encode(ASCII);
      const respond = json({ error: "invalid_request", error_description: `No: ${echo}` }, 400);
      const { fetch } = new ScriptedFetch({ [ENDPOINT]: respond });
      const call = revokeTokens(metadata, "client", { access_token: ASCII }, { fetch });
      expect(everyTextIn(await rejectionOf(call))).to.not.contain(echo);
    });
  }

  for (const [status, body] of [
    [400, { error: ASCII }],
    [500, { error: "server_error", error_description: ASCII }],
    [429, { error_description: `Wait, ${ASCII}` }],
    [403, [ASCII]],
  ] as const) {
    it(`contains no token for HTTP ${status} with ${JSON.stringify(Object.keys(body))}`, async () => {
      const { fetch } = new ScriptedFetch({ [ENDPOINT]: json(body, status) });
      const call = revokeTokens(metadata, "client", { access_token: ASCII }, { fetch });
      expect(everyTextIn(await rejectionOf(call))).to.not.contain(ASCII);
    });
  }

  it("has the provider's code and reason if these repeat no token", async () => {
    const body = { error: "invalid_request", error_description: "The client is unknown" };
    const { fetch } = new ScriptedFetch({ [ENDPOINT]: json(body, 400) });
    const call = revokeTokens(metadata, "client", { access_token: ASCII }, { fetch });
    const text = everyTextIn(await rejectionOf(call));
    expect(text).to.contain("invalid_request").and.to.contain("The client is unknown");
  });

  it("about a registration has the provider's message about the app, which isn't secret", async () => {
    const config = {
      ...metadata,
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/a`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      registration_endpoint: `${ISSUER}/x`,
      grant_types_supported: ["authorization_code", "refresh_token"],
    };
    const body = { error: "invalid_redirect_uri", error_description: "No https://app.example/" };
    const { fetch } = new ScriptedFetch({ [ENDPOINT]: json(body, 400) });
    const app = { clientUri: "https://app.example/", redirectUris: ["https://app.example/"] };
    const call = registerOidcClient(config, app, { fetch });
    expect(everyTextIn(await rejectionOf(call))).to.contain("No https://app.example/");
  });

  // Some providers reject a token with a success status.
  for (const status of [400, 200]) {
    it(`about a refresh does not contain the refresh token for HTTP ${status}`, async () => {
      const { fetch } = new ScriptedFetch({
        [ENDPOINT]: json({ error: "invalid_grant", error_description: `Used: ${ASCII}` }, status),
      });
      const session = new OidcSession(
        {
          tokenResponse: {
            access_token: "expired",
            token_type: "Bearer",
            refresh_token: ASCII,
            expires_at: 1,
          },
          oidcClientSettings: { clientId: "client", issuer: ISSUER },
          metadata: { issuer: ISSUER, ...metadata },
          homeserverUrl: HS,
          idTokenClaims: undefined,
          deviceId: "DEVICE",
          scope: "urn:matrix:client:api:* urn:matrix:client:device:DEVICE",
        },
        { fetch },
      );
      const text = everyTextIn(await rejectionOf(session.accessToken()));
      expect(text).to.contain("Used: ").and.to.not.contain(ASCII);
    });
  }
});

describe("A UIA response remains usable", () => {
  for (const password of ["password", "m.login.password", "flows", "m", "401", "e", "ser"]) {
    it(`if the password is ${password}`, async () => {
      const stages: string[] = [];
      const challenge = {
        session: "the-session",
        flows: [{ stages: ["m.login.password", "m.login.terms", "org.example.user"] }],
        params: { "m.login.terms": { policies: {} } },
      };
      let sent = 0;
      const { fetch } = new ScriptedFetch({
        [`POST ${HS}/_matrix/client/v3/account/deactivate`]: () => {
          sent += 1;
          if (sent === 4) return Response.json({});
          const completed = ["m.login.password", "m.login.terms"].slice(0, sent - 1);
          return Response.json({ ...challenge, completed }, { status: 401 });
        },
      });
      const auth = new InteractiveAuth({
        matrixClient: {},
        doRequest: (dict) => client(fetch).deactivateAccount(dict),
        requestEmailToken: () => Promise.reject(new Error("no email")),
        stateUpdated: (stage) => {
          stages.push(stage);
          if (sent > 4) return;
          void auth.submitAuthDict(
            stage === "m.login.password" ? { type: stage, password } : { type: stage },
          );
        },
      });
      await auth.attemptAuth();
      expect(stages).to.deep.equal(["m.login.password", "m.login.terms", "org.example.user"]);
      expect(auth.getSessionId()).to.equal("the-session");
    });
  }
});

describe("The screen and the events of an element", () => {
  afterEach(restoreStubs);

  for (const how of ["as it is", "in base64", "percent-encoded", "with entities of HTML"]) {
    it(`do not show a password that a homeserver repeats ${how}`, async () => {
      const servers = await useTestServers({ login: ["password"] });
      const echo = ENCODINGS[how]?.(SECRET) ?? "";
      servers.refuse("POST /login", 400, { errcode: "M_BAD", error: `Not ${echo}` });
      const element = await ready();
      const failed = nextEvent(document, "matrix-login-error");
      fill(element, { username: "alice", password: SECRET });
      part(element, "submit").click();
      expect(everyTextIn((await failed).detail)).to.not.contain(echo);
      await inState(element, "error");
      expect(textIn(element)).to.not.contain(echo);
    });
  }

  it("show the homeserver's reason without a password", async () => {
    const servers = await useTestServers({ login: ["password"] });
    servers.refuse("POST /login", 400, { errcode: "M_BAD", error: "Not on Sundays" });
    const element = await ready();
    fill(element, { username: "alice", password: SECRET });
    part(element, "submit").click();
    await inState(element, "error");
    expect(textIn(element)).to.contain("Not on Sundays");
  });

  /** An error of another client library. */
  const foreign = (error: string): Error =>
    Object.assign(new Error(`MatrixError: [401] ${error}`), {
      httpStatus: 401,
      errcode: "M_FORBIDDEN",
      data: {
        errcode: "M_FORBIDDEN",
        error,
        session: "s",
        flows: [{ stages: ["m.login.password"] }],
      },
    });

  for (const [what, error, expected] of [
    ["does not show a password that the app's own client repeats", `Wrong: ${SECRET}`, "Wrong: …"],
    ["shows the reason of the app's own client", "Wrong today", "Wrong today"],
  ] as const) {
    it(`<uia-dialog> ${what}`, async () => {
      const dialog = await fixture<UiaDialogElement>(
        html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`,
      );
      const states: unknown[] = [];
      dialog.addEventListener("uia-state-updated", ({ detail }) => states.push(detail));
      dialog
        .authenticate((auth) => Promise.reject(foreign(auth ? error : "")))
        .catch(() => undefined);
      const input = await waitFor(() => dialog.querySelector<HTMLInputElement>("[type=password]"));
      if (input) input.value = SECRET;
      part(dialog, "submit").click();
      await waitFor(() => dialog.session?.status.error);
      await dialog.updateComplete;
      expect(dialog.session?.status.error).to.equal(expected);
      expect(everyTextIn(states)).to.not.contain(SECRET);
      expect(textIn(dialog) + (dialog.textContent ?? "")).to.not.contain(SECRET);
      dialog.cancel();
    });
  }
});
