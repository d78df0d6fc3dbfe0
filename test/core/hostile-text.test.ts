// The longest text that a server can send, with the worst content for each parser. If a parser takes
// quadratic time, its test reaches the runner's time limit.
import { expect } from "@open-wc/testing";
import {
  OidcFlowError,
  RequestError,
  completeAuthorizationCodeGrantFromUrl,
  discoverHomeserver,
} from "matrix-auth-elements/core";
import { rejectionOf } from "../support/rejection.ts";
import { ScriptedFetch, text, type Responder } from "../support/scripted-fetch.ts";
import { ScriptedProvider } from "../support/scripted-provider.ts";
import { READERS, WELL_KNOWN } from "./hostile-text.table.ts";
import { logIn } from "./login.ts";

/** The library's limit for a response, minus the text around it. */
const LENGTH = 2 ** 20 - 2 ** 10;
const repeated = (part: string): string => part.repeat(Math.floor(LENGTH / part.length));
const slashes = (origin: string): string => `${origin}${repeated("/")}x`;

const HOSTILE_URLS = {
  slashes: slashes("https://hs.example"),
  // Three bytes each in a response.
  "combining marks in the host": `https://a${"\u0300\u0316".repeat(LENGTH / 6)}`,
  "labels in the host": `https://${repeated("a.")}example`,
  // Two bytes each in a response.
  backslashes: `https://hs.example${"\\".repeat(LENGTH / 2)}x`,
};

describe("A URL of 1 MiB", () => {
  for (const [kind, url] of Object.entries(HOSTILE_URLS)) {
    for (const [what, outcome, read] of READERS) {
      it(`of ${kind} ends with ${outcome} as ${what}`, async () => {
        const servers = (routes: Record<string, Responder>): object => ({
          fetch: new ScriptedFetch(routes).fetch,
          timeoutMs: 60_000,
        });

        expect(await outcomeOf(() => read(url, servers))).to.equal(outcome);
      });
    }
  }
});

describe("A callback's URL of 1 MiB", () => {
  beforeEach(() => sessionStorage.clear());

  for (const part of ["&", "&a=b", "?", "%", "&state", "&code=x"]) {
    it(`of "${part}" contains no response, and the sign-in stays pending`, async () => {
      const provider = await ScriptedProvider.create();
      const { url } = await logIn(provider);
      const complete = (response: string) =>
        outcomeOf(() => completeAuthorizationCodeGrantFromUrl(response, provider.server));

      expect(await complete(url + repeated(part))).to.equal("flow_unknown");
      expect(await complete(url)).to.contain(provider.accessToken);
    });
  }
});

describe("A response of 1 MiB", () => {
  for (const [kind, body] of [
    ["brackets", repeated("[")],
    ["nested objects", repeated('{"a":')],
    ["spaces", repeated(" ")],
    ["one text", JSON.stringify(repeated("x"))],
    ["a list", `[${repeated("0,")}0]`],
  ] as const) {
    it(`of ${kind} is not a well-known file`, async () => {
      const { fetch } = new ScriptedFetch({ [WELL_KNOWN]: text(body) });

      const outcome = await outcomeOf(() => discoverHomeserver("hs.example", { fetch }));
      expect(outcome).to.equal("well_known_invalid");
    });
  }

  for (const [member, value, outcome] of [
    ["scope", repeated(" "), "scope_not_granted"],
    ["scope", repeated("urn:matrix:client:device:A "), "scope_not_granted"],
    ["expires_in", repeated("9"), "token_response_invalid"],
    ["token_type", repeated("bearer"), "token_response_invalid"],
    ["id_token", repeated("."), "id_token_invalid"],
    ["id_token", `${repeated("a")}.a`, "id_token_invalid"],
    ["id_token", `${"a".repeat(LENGTH / 2)}.${"a".repeat(LENGTH / 2)}.`, "id_token_invalid"],
  ] as const) {
    it(`with "${value.slice(0, 30)}" as ${member} ends with ${outcome}`, async () => {
      sessionStorage.clear();
      const provider = await ScriptedProvider.create();
      const { url } = await logIn(provider);
      provider.tokens = { [member]: value };

      const outcomeOfLogin = await outcomeOf(() =>
        completeAuthorizationCodeGrantFromUrl(url, provider.server),
      );
      expect(outcomeOfLogin).to.equal(outcome);
    });
  }
});

/** The code or name of an error, or the JSON of a result. */
async function outcomeOf(run: () => unknown): Promise<string> {
  let result: unknown;
  const error = await rejectionOf(async () => {
    result = await run();
    throw new Error("no error");
  });
  if (error instanceof OidcFlowError || error instanceof RequestError) return error.code;
  return (error as Error).message === "no error"
    ? String(JSON.stringify(result))
    : String((error as Error).name);
}
