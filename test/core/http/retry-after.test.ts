import { expect } from "@open-wc/testing";
import { OidcError, RequestError, discoverIssuer } from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import { ScriptedFetch, json } from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";

/** What a caller is told of how long to wait, after a 429 with this header and body. */
async function waitAfter(header: string | undefined, body: unknown = {}): Promise<unknown> {
  const { fetch } = new ScriptedFetch({
    "GET https://busy.example/.well-known/openid-configuration": json(body, {
      status: 429,
      headers: header === undefined ? {} : { "Retry-After": header },
    }),
  });
  const error = await expectFlowError(
    discoverIssuer("https://busy.example", { fetch }),
    OidcError.General,
    "rate_limited",
  );
  expect(error.retryAfterMs).to.equal((error.cause as RequestError).retryAfterMs);
  return error.retryAfterMs;
}

describe("A rate limit", () => {
  afterEach(restoreStubs);

  it("tells how long to wait in the header, in seconds", async () => {
    expect(await waitAfter("7")).to.equal(7000);
  });

  it("tells when to come back in the header, as a date", async () => {
    stub(Date, "now", { value: () => Date.UTC(2030, 0, 1, 12, 0, 0) });

    expect(await waitAfter("Tue, 01 Jan 2030 12:00:09 GMT")).to.equal(9000);
  });

  it("asks for no wait where its date is past", async () => {
    expect(await waitAfter("Tue, 01 Jan 2019 12:00:09 GMT")).to.equal(0);
  });

  it("tells how long to wait in the body, where the page may not read the header", async () => {
    expect(await waitAfter(undefined, { retry_after_ms: 1500 })).to.equal(1500);
  });

  it("believes the header over the deprecated member of the body", async () => {
    expect(await waitAfter("2", { retry_after_ms: 9000 })).to.equal(2000);
  });

  it("falls back to the body where the header is neither number nor date", async () => {
    expect(await waitAfter("soon", { retry_after_ms: 1500 })).to.equal(1500);
  });

  for (const body of [{ retry_after_ms: "1500" }, { retry_after_ms: -1 }, [], null, "busy"]) {
    it(`tells nothing where the body is ${JSON.stringify(body)}`, async () => {
      expect(await waitAfter(undefined, body)).to.be.undefined;
    });
  }
});
