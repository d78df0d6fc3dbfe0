import { expect } from "@open-wc/testing";
import { RequestError, readFailure } from "matrix-auth-elements/core";
import {
  PASSWORD,
  SESSION,
  SSO,
  challenge,
  fail,
  flowsOf,
  poll,
  startUia,
  succeed,
  runUia,
} from "./uia-harness.ts";

interface Refusal {
  readonly status: number;
  readonly data: object;
}

/** An error with the shape of matrix-js-sdk's `MatrixError`. */
class SdkError extends Error {
  override readonly name: string;
  readonly errcode: string | undefined;
  readonly httpStatus: number;
  readonly data: object;
  readonly httpHeaders = new Headers();

  constructor({ status, data }: Refusal) {
    const { errcode = undefined, error } = data as Record<string, string | undefined>;
    super(`MatrixError: [${status}] ${error ?? "Unknown message"}`);
    this.name = errcode ?? "Unknown error code";
    this.errcode = errcode;
    this.httpStatus = status;
    this.data = data;
  }
}

/** The representations of the same rejection in client libraries. */
const SHAPES: Record<string, (refusal: Refusal) => unknown> = {
  "matrix-js-sdk's MatrixError": (refusal) => new SdkError(refusal),
  "{ statusCode, body }": ({ status, data }) =>
    Object.assign(new Error("Error"), { statusCode: status, body: data }),
  "{ response: { status, data } }": ({ status, data }) =>
    Object.assign(new Error(`Request failed with status code ${status}`), {
      code: "ERR_BAD_REQUEST",
      response: { status, data },
    }),
  "{ status, data }": ({ status, data }) => ({ status, data }),
};

const AT_SSO = challenge([[SSO]]);
const BODY = { flows: flowsOf([PASSWORD.type]), session: SESSION, params: {} };
const WRONG = { errcode: "M_FORBIDDEN", error: "Invalid password" };
const LIMIT = { errcode: "M_LIMIT_EXCEEDED", error: "Too many requests" };
const BAD_GATEWAY = { errcode: "M_UNKNOWN", error: "Bad gateway" };

for (const [name, make] of Object.entries(SHAPES)) {
  const refuse = (status: number, data: object) => fail(make({ status, data }));

  describe(`InteractiveAuth with errors like ${name}`, () => {
    it(`reports stages and rejections when a 401 with flows is ${name}`, () =>
      runUia(
        [refuse(401, BODY), refuse(401, { ...BODY, ...WRONG }), succeed],
        [PASSWORD, PASSWORD],
        {
          stages: [PASSWORD.type, PASSWORD.type],
          statuses: [{}, WRONG],
          outcome: "resolved",
        },
      ));

    it(`sends the request again when a 429 is ${name}`, () =>
      runUia([AT_SSO, refuse(429, { ...LIMIT, retry_after_ms: 1 }), succeed], [{}], {
        stages: [SSO, SSO],
        statuses: [{}, { ...LIMIT, retryAfterMs: 1 }],
        outcome: "resolved",
      }));

    it(`starts a new session when 400 M_UNKNOWN is ${name}`, () =>
      runUia(
        [refuse(401, BODY), refuse(400, { errcode: "M_UNKNOWN" }), refuse(401, BODY), succeed],
        [PASSWORD],
        { outcome: "resolved" },
      ));

    it(`reports the homeserver's text when the 502 of a poll is ${name}`, () =>
      runUia([AT_SSO, refuse(502, BAD_GATEWAY)], [poll], { lastStatus: BAD_GATEWAY }));

    for (const [status, data] of [
      [401, { errcode: "M_UNKNOWN_TOKEN" }],
      [403, { errcode: "M_FORBIDDEN", flows: BODY.flows }],
      [500, {}],
    ] as const) {
      it(`rejects with the error itself when a ${status} is ${name}`, async () => {
        const error = make({ status, data });

        expect((await startUia([fail(error)])).error).to.equal(error);
      });
    }
  });
}

describe("InteractiveAuth with any other error", () => {
  for (const [name, error] of Object.entries({
    "a TypeError": new TypeError("Failed to fetch"),
    "a DOMException": new DOMException("The operation was aborted", "AbortError"),
    "the library's own RequestError": new RequestError("timeout", "No response in time"),
    "a Response": new Response("{}", { status: 401 }),
    "an object without a prototype": Object.create(null) as object,
    "a list": [{ flows: [] }],
    "a string": "401",
    "a number": 401,
    null: null,
    undefined,
    "only a status": { httpStatus: 401 },
    "a status that is a string": { httpStatus: "401", data: null, response: null },
    "a body that is a string": { statusCode: 401, body: JSON.stringify(BODY) },
  })) {
    it(`rejects with the error itself when it is ${name}`, async () => {
      const { outcome, updates } = await startUia([fail(error)]);

      expect(outcome && "error" in outcome).to.be.true;
      expect(outcome && "error" in outcome && outcome.error).to.equal(error);
      expect(updates).to.deep.equal([]);
    });
  }

  it("reports a stage when an error without a status has flows", () =>
    runUia([fail({ data: BODY })], [], { stages: [PASSWORD.type] }));

  it("continues when a poll fails with status 0, which servers never send", () =>
    runUia([AT_SSO, fail({ status: 0 }), succeed], [poll, poll], { outcome: "resolved" }));

  it("reports the error's own errcode when a poll's error has no body", () =>
    runUia(
      [AT_SSO, fail({ httpStatus: 502, errcode: "M_UNKNOWN", code: "E", message: "Bad gateway" })],
      [poll],
      { lastStatus: BAD_GATEWAY },
    ));

  it("reports the library's own code when a poll fails with a RequestError", () =>
    runUia([AT_SSO, fail(new RequestError("network_error", "No response"))], [poll], {
      lastStatus: { errcode: "network_error", error: "No response" },
    }));
});

describe("readFailure", () => {
  const named = (name: string): Error => Object.assign(new Error("No response"), { name });

  for (const [what, error] of Object.entries({
    "Chromium's TypeError": new TypeError("Failed to fetch"),
    "Chromium's TypeError with a host": new TypeError("Failed to fetch (hs.example)"),
    "Firefox's TypeError": new TypeError("NetworkError when attempting to fetch resource."),
    "Safari's TypeError": new TypeError("Load failed"),
    "Node's TypeError": new TypeError("fetch failed"),
    "React Native's TypeError": new TypeError("Network request failed"),
    "this library's RequestError": new RequestError("network_error", "No response"),
    "matrix-js-sdk's ConnectionError": named("ConnectionError"),
    "a timeout's DOMException": new DOMException("signal timed out", "TimeoutError"),
    "an object with such a name": { name: "RequestError" },
  })) {
    it(`reads ${what} as network_error, which is transient`, () => {
      expect(readFailure(error)).to.include({ transient: true, errcode: "network_error" });
    });
  }

  for (const [status, code] of [
    [408, "server_error"],
    [425, "server_error"],
    [429, "rate_limited"],
    [500, "server_error"],
    [502, "server_error"],
    [599, "server_error"],
  ] as const) {
    it(`reads HTTP ${status} as transient, and as ${code} without an errcode`, () => {
      const failure = { status, transient: true };

      expect(readFailure({ status })).to.include({ ...failure, errcode: code });
      expect(readFailure({ status, errcode: "M_X" })).to.include({ ...failure, errcode: "M_X" });
    });
  }

  for (const [what, error] of Object.entries({
    "a status that is text": { httpStatus: "403", statusCode: 404 },
    "a status of 0": { httpStatus: 0, statusCode: 404 },
    "a negative status": { httpStatus: -1, statusCode: 404 },
  })) {
    it(`ignores ${what}`, () => {
      expect(readFailure(error)).to.include({ status: 404 });
    });
  }

  for (const status of [400, 401, 403, 404, 407, 409, 428, 430, 499]) {
    const httpStatus = status;
    const page = new RequestError("response_not_json", "No JSON", { httpStatus });

    it(`reads HTTP ${status} as permanent if it has an errcode or comes from an app's error`, () => {
      for (const error of [
        { httpStatus, name: "TimeoutError", data: WRONG },
        { httpStatus, name: "RequestError", errcode: "M_UNKNOWN" },
        { httpStatus, code: "EMAIL_TAKEN" },
        { status, name: "HTTPError" },
        { response: { status, data: {} }, code: "ERR_BAD_REQUEST" },
      ]) {
        expect(readFailure(error).transient, JSON.stringify(error)).to.be.false;
      }
    });

    it(`reads HTTP ${status} as transient if a client library reports a proxy's page`, () => {
      expect(readFailure({ httpStatus, data: {} })).to.include({
        transient: true,
        errcode: "unexpected_status",
      });
      expect(readFailure(page)).to.include({ transient: true, errcode: "response_not_json" });
    });
  }

  for (const [what, error] of Object.entries({
    "a fault of the app's fetch": new RequestError("unexpected", "No response"),
    "an AbortError": new DOMException("The operation was aborted", "AbortError"),
    "a RangeError": new RangeError("Out of range"),
    "a TypeError of the page's code": new TypeError("x is undefined"),
    "a failed import": new TypeError("Failed to fetch dynamically imported module: /x.js"),
    "another error with fetch's message": new Error("Failed to fetch"),
    undefined,
    "a string": "TimeoutError",
    "an object whose name is a number": { name: 5, code: "E" },
  })) {
    it(`reads ${what} as permanent, and not as network_error`, () => {
      const { transient, errcode } = readFailure(error);

      expect(transient).to.be.false;
      expect(errcode).not.to.equal("network_error");
    });
  }
});
