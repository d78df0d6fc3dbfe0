import { expect } from "@open-wc/testing";
import { OidcError, discoverIssuer, type RequestError } from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import {
  ScriptedFetch,
  html,
  json,
  truncatedJson,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";

const ISSUER = "https://idp.example";

describe("requestJson", () => {
  afterEach(restoreStubs);

  /** Calls discoverIssuer(), with this response to its request. */
  const request = (respond: Responder) => {
    const { fetch } = new ScriptedFetch({
      [`GET ${ISSUER}/.well-known/openid-configuration`]: respond,
    });
    return discoverIssuer(ISSUER, { fetch });
  };

  for (const [what, respond] of [
    ["HTML", html()],
    ["JSON that is cut off", truncatedJson({ issuer: ISSUER })],
    ["no body", () => new Response(null, { status: 204 })],
  ] as const) {
    it(`rejects with response_not_json for a success status and ${what}`, () =>
      expectFlowError(request(respond), OidcError.General, "response_not_json"));
  }

  for (const [status, code] of [
    [400, "unexpected_status"],
    [403, "unexpected_status"],
    [404, "unexpected_status"],
    [408, "server_error"],
    [425, "server_error"],
    [429, "rate_limited"],
    [500, "server_error"],
    [503, "server_error"],
  ] as const) {
    it(`rejects with ${code} for HTTP ${status}`, async () => {
      const error = await expectFlowError(request(json({}, status)), OidcError.General, code);

      expect(error.cause).to.include({ httpStatus: status });
    });
  }

  describe("retryAfterMs of a 429", () => {
    for (const [title, expected, header, body] of [
      ["is the time until the header's date", 9000, "Tue, 01 Jan 2030 12:00:09 GMT"],
      ["is undefined when the header's date is past", undefined, "Tue, 01 Jan 2019 12:00:09 GMT"],
      ["is undefined when the header is 0", undefined, "0"],
      ["is the body's when the header is 0", 1500, "0", { retry_after_ms: 1500 }],
      [
        "is the body's when the header's date is past",
        1500,
        "Tue, 01 Jan 2019 12:00:09 GMT",
        { retry_after_ms: 1500 },
      ],
      ["is undefined when the body's is 0", undefined, undefined, { retry_after_ms: 0 }],
      ["is the header's rather than the body's", 2000, "2", { retry_after_ms: 9000 }],
      ["is the header's seconds with a fraction", 2500, "2.5", { retry_after_ms: 9000 }],
      ["is the body's when the header is a list", 1500, "5, 5", { retry_after_ms: 1500 }],
      ["is undefined when the body is null", undefined, undefined, null],
      ["is undefined when the body is text", undefined, undefined, "busy"],
    ] as readonly (readonly [string, number | undefined, string?, unknown?])[]) {
      it(`retryAfterMs ${title}`, async () => {
        stub(Date, "now", { value: () => Date.UTC(2030, 0, 1, 12, 0, 0) });
        const headers = header === undefined ? {} : { "Retry-After": header };
        const call = request(json(body ?? null, { status: 429, headers }));

        const error = await expectFlowError(call, OidcError.General, "rate_limited");

        expect(error.retryAfterMs).to.equal(expected);
        expect((error.cause as RequestError).retryAfterMs).to.equal(expected);
      });
    }
  });
});
