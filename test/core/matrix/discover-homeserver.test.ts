import { expect } from "@open-wc/testing";
import { OidcError, discoverHomeserver } from "matrix-auth-elements/core";
import { BASE_URLS, FILES, NAMES, NO_NAMES, base, file } from "./discover-homeserver.table.ts";
import { expectFlowError } from "../../support/rejection.ts";
import {
  ScriptedFetch,
  html,
  json,
  networkFailure,
  text,
  truncatedJson,
} from "../../support/scripted-fetch.ts";

const WELL_KNOWN = "GET https://example.org/.well-known/matrix/client";
// Hostile files are rows of test/conformance/cases/homeservers.ts too.
describe("discoverHomeserver", () => {
  let server: ScriptedFetch;
  const discover = (input: string, timeoutMs?: number) =>
    discoverHomeserver(input, { fetch: server.fetch, timeoutMs });

  beforeEach(() => {
    server = new ScriptedFetch({ [WELL_KNOWN]: file() });
  });

  for (const input of NAMES) {
    it(`returns the base URL of the well-known file for ${JSON.stringify(input)}`, async () => {
      expect(await discover(input)).to.deep.equal({ baseUrl: "https://matrix.example.org" });
      expect(server.log).to.deep.equal([WELL_KNOWN]);
    });
  }

  for (const [input, origin, baseUrl] of BASE_URLS) {
    it(`returns ${baseUrl} for "${input}" when ${origin} has no well-known file`, async () => {
      const route = `GET ${origin}/.well-known/matrix/client`;
      server.routes[route] = json({}, 404);

      expect(await discover(input)).to.deep.equal({ baseUrl });
      expect(server.log).to.deep.equal([route]);
    });
  }

  for (const input of [
    "https://example.org/matrix/",
    "example.org/matrix",
    "https://example.org/matrix/_matrix/client/v3/login",
  ]) {
    it(`returns the base URL of ${input}, which has a path, without any request`, async () => {
      expect(await discover(input)).to.deep.equal({ baseUrl: "https://example.org/matrix" });
      expect(server.log).to.be.empty;
    });
  }

  for (const [title, respond, expected] of FILES) {
    it(`returns ${title}`, async () => {
      server.routes[WELL_KNOWN] = respond;

      expect(await discover("example.org")).to.deep.equal({
        baseUrl: "https://matrix.example.org",
        ...expected,
      });
    });
  }

  for (const [what, respond] of [
    ["is empty", text("")],
    ["is cut off", truncatedJson({ "m.homeserver": {} })],
    ["is a list", json([])],
    ["names no homeserver", json({})],
    ["has a string instead of a homeserver", json({ "m.homeserver": "x" })],
    ["has an invalid base URL", base("::")],
  ] as const) {
    it(`rejects with well_known_invalid when the file ${what}`, async () => {
      server.routes[WELL_KNOWN] = respond;

      await expectFlowError(discover("example.org"), OidcError.General, "well_known_invalid");
    });

    it(`returns the given URL when the file ${what}`, async () => {
      server.routes[WELL_KNOWN] = respond;

      expect(await discover("https://example.org")).to.deep.equal({
        baseUrl: "https://example.org",
      });
    });
  }

  describe("when the page can't read the response for the well-known file", () => {
    const VERSIONS = "GET https://example.org/_matrix/client/versions";
    const homeserver = json({ versions: ["v1.11"] });

    it("returns the server itself if a homeserver responds there", async () => {
      server.routes = { [VERSIONS]: homeserver };

      expect(await discover("@alice:example.org")).to.deep.equal({
        baseUrl: "https://example.org",
      });
      expect(server.log).to.deep.equal([WELL_KNOWN, VERSIONS]);
    });

    it("sends the request to the port in the server name", async () => {
      server.routes = { "GET https://example.org:8448/_matrix/client/versions": homeserver };
      const found = await discover("example.org:8448");

      expect(found).to.deep.equal({ baseUrl: "https://example.org:8448" });
    });

    for (const [what, respond] of [
      ["nothing responds there", networkFailure],
      ["a website responds there", html()],
      ["its response is an error", json({ versions: [] }, 502)],
      ["its response is something else", json({ version: 5, versions: null })],
    ] as const) {
      it(`rejects with network_error if ${what}`, async () => {
        server.routes = { [VERSIONS]: respond };

        await expectFlowError(discover("example.org"), OidcError.General, "network_error");
      });
    }

    it("sends no other request after a failure of the server", async () => {
      server.routes = { [WELL_KNOWN]: html(503), [VERSIONS]: homeserver };

      await expectFlowError(discover("example.org"), OidcError.General, "server_error");
      expect(server.log).to.deep.equal([WELL_KNOWN]);
    });
  });

  for (const input of NO_NAMES) {
    it(`rejects "${input}" with homeserver_invalid without any request`, async () => {
      await expectFlowError(discover(input), OidcError.General, "homeserver_invalid");
      expect(server.log).to.be.empty;
    });
  }
});
