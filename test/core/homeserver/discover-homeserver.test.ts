import { expect } from "@open-wc/testing";
import { OidcError, discoverHomeserver } from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import {
  ScriptedFetch,
  html,
  json,
  networkFailure,
  redirectTo,
  type Responder,
} from "../../support/scripted-fetch.ts";

const WELL_KNOWN = "https://example.org/.well-known/matrix/client";
const file = (rest: Record<string, unknown> = {}): Responder =>
  json({ "m.homeserver": { base_url: "https://matrix.example.org" }, ...rest });

describe("discoverHomeserver", () => {
  let server: ScriptedFetch;
  const discover = (input: string, timeoutMs?: number) =>
    discoverHomeserver(input, { fetch: server.fetch, timeoutMs });

  beforeEach(() => {
    server = new ScriptedFetch({ [`GET ${WELL_KNOWN}`]: file() });
  });

  for (const input of [
    "example.org",
    "  example.org ",
    "EXAMPLE.org",
    "@alice:example.org",
    "https://example.org",
    "https://example.org/",
    "HTTPS://example.org",
  ]) {
    it(`takes "${input}" and asks the well-known file where the API is`, async () => {
      expect(await discover(input)).to.deep.equal({ baseUrl: "https://matrix.example.org" });
      expect(server.log).to.deep.equal([`GET ${WELL_KNOWN}`]);
    });
  }

  it("asks for the file on the host's own port, whatever port the server name has", async () => {
    await discover("@alice:example.org:8448");

    expect(server.log).to.deep.equal([`GET ${WELL_KNOWN}`]);
  });

  it("takes the server name itself for the base where there is no file", async () => {
    server.routes[`GET ${WELL_KNOWN}`] = json({}, 404);

    expect(await discover("example.org:8448")).to.deep.equal({
      baseUrl: "https://example.org:8448",
    });
  });

  it("takes an IPv6 address for a server name", async () => {
    server.routes["GET https://[2001:db8::1]/.well-known/matrix/client"] = json({}, 404);

    expect(await discover("[2001:db8::1]:8448")).to.deep.equal({
      baseUrl: "https://[2001:db8::1]:8448",
    });
  });

  it("takes a base URL with a path at its word, without any request", async () => {
    expect(await discover("https://example.org/matrix/")).to.deep.equal({
      baseUrl: "https://example.org/matrix",
    });
    expect(server.log).to.be.empty;
  });

  it("asks the file of a base URL that has a port on that port", async () => {
    server.routes["GET https://example.org:8448/.well-known/matrix/client"] = file();

    expect(await discover("https://example.org:8448")).to.deep.equal({
      baseUrl: "https://matrix.example.org",
    });
  });

  for (const host of ["localhost:8008", "127.0.0.1:8008", "[::1]:8008", "hs.localhost:8008"]) {
    it(`asks ${host} over http, because no certificate can be had for this machine`, async () => {
      server.routes[`GET http://${host}/.well-known/matrix/client`] = json({}, 404);

      expect(await discover(`@alice:${host}`)).to.deep.equal({ baseUrl: `http://${host}` });
      expect(await discover(`http://${host}`)).to.deep.equal({ baseUrl: `http://${host}` });
    });
  }

  it("gives a base address without the slash at its end, and keeps its path", async () => {
    server.routes[`GET ${WELL_KNOWN}`] = file({
      "m.homeserver": { base_url: "https://example.org/matrix//" },
    });

    expect((await discover("example.org")).baseUrl).to.equal("https://example.org/matrix");
  });

  it("gives the identity server and the issuer that the file names", async () => {
    server.routes[`GET ${WELL_KNOWN}`] = file({
      "m.identity_server": { base_url: "https://identity.example.org/" },
      "org.matrix.msc2965.authentication": { issuer: "https://idp.example.org/realm/" },
    });

    expect(await discover("example.org")).to.deep.equal({
      baseUrl: "https://matrix.example.org",
      identityServerUrl: "https://identity.example.org",
      issuer: "https://idp.example.org/realm/",
    });
  });

  it("prefers the stable key for the issuer", async () => {
    server.routes[`GET ${WELL_KNOWN}`] = file({
      "org.matrix.msc2965.authentication": { issuer: "https://old.example.org/" },
      "m.authentication": { issuer: "https://new.example.org/" },
    });

    expect((await discover("example.org")).issuer).to.equal("https://new.example.org/");
  });

  for (const authentication of [
    { issuer: "javascript:alert(1)" },
    { issuer: "http://idp.example.org/" },
    { issuer: 5 },
    "https://idp.example.org/",
    null,
  ]) {
    it(`passes over the issuer in ${JSON.stringify(authentication)}`, async () => {
      server.routes[`GET ${WELL_KNOWN}`] = file({ "m.authentication": authentication });

      expect(await discover("example.org")).not.to.have.property("issuer");
    });
  }

  it("takes an identity server of null for none", async () => {
    server.routes[`GET ${WELL_KNOWN}`] = file({ "m.identity_server": null });

    expect(await discover("example.org")).not.to.have.property("identityServerUrl");
  });

  it("follows a redirect of the file", async () => {
    server.routes[`GET ${WELL_KNOWN}`] = redirectTo("https://www.example.org/file", 301);
    server.routes["GET https://www.example.org/file"] = file();

    expect((await discover("example.org")).baseUrl).to.equal("https://matrix.example.org");
  });

  for (const [what, answer] of [
    ["is HTML", html()],
    ["names no homeserver", json({})],
    ["has an http address", file({ "m.homeserver": { base_url: "http://matrix.example.org" } })],
    ["has an identity server without an address", file({ "m.identity_server": {} })],
  ] as const) {
    it(`passes over a file that ${what}, where the address was given whole`, async () => {
      server.routes[`GET ${WELL_KNOWN}`] = answer;

      expect(await discover("https://example.org")).to.deep.equal({
        baseUrl: "https://example.org",
      });
    });
  }

  for (const [what, answer, code] of [
    ["answers with 403", json({}, 403), "unexpected_status"],
    ["is out of reach", networkFailure, "network_error"],
  ] as const) {
    it(`fails as ${code} where the server ${what}`, async () => {
      server.routes[`GET ${WELL_KNOWN}`] = answer;

      await expectFlowError(discover("example.org"), OidcError.General, code);
    });
  }

  for (const input of [
    "",
    "@alice",
    "@alice:",
    "exa mple.org",
    "example.org/path",
    "example.org:port",
    "example.org:99999999",
    "example.org:99999",
    "user@example.org",
    "javascript:alert(1)",
    "ftp://example.org",
    "http://example.org",
    "https://",
    "https://user:password@example.org",
    "https://example.org?query",
    "https://example.org#fragment",
    "https://[::",
    "https://exa mple.org",
  ]) {
    it(`refuses "${input}" without any request`, async () => {
      await expectFlowError(discover(input), OidcError.General, "homeserver_invalid");
      expect(server.log).to.be.empty;
    });
  }
});
