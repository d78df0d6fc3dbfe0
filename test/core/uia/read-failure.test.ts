import { expect } from "@open-wc/testing";
import { RequestError, readFailure } from "matrix-auth-elements/core";
import { PASSWORD, RESULT, SESSION, ask, begun, fail, flowsOf, succeed } from "./uia-harness.ts";

interface Refusal {
  readonly status: number;
  readonly data: object;
}

/** As matrix-js-sdk's `MatrixError`. */
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

/** The same refusal in the words of other client libraries. */
const SHAPES: Record<string, (refusal: Refusal) => unknown> = {
  "matrix-js-sdk": (refusal) => new SdkError(refusal),
  "{ statusCode, body }": ({ status, data }) =>
    Object.assign(new Error("Error"), { statusCode: status, body: data }),
  "{ response: { status, data } }": ({ status, data }) =>
    Object.assign(new Error(`Request failed with status code ${status}`), {
      code: "ERR_BAD_REQUEST",
      response: { status, data },
    }),
  "{ status, data }": ({ status, data }) => ({ status, data }),
};

const LOGIN = { flows: flowsOf([PASSWORD.type]), session: SESSION, params: {} };

for (const [name, make] of Object.entries(SHAPES)) {
  const refuse = (status: number, data: object) => fail(make({ status, data }));

  describe(`InteractiveAuth: an error of the shape of ${name}`, () => {
    it("is known as the 401 that asks for stages", async () => {
      const wrong = { ...LOGIN, errcode: "M_FORBIDDEN", error: "Invalid password" };
      const conversation = await begun([refuse(401, LOGIN), refuse(401, wrong), succeed]);
      await conversation.submit(PASSWORD);
      await conversation.submit(PASSWORD);

      expect(conversation.told).to.deep.equal([
        [PASSWORD.type, {}],
        [PASSWORD.type, { errcode: "M_FORBIDDEN", error: "Invalid password" }],
      ]);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("is what the attempt rejects with, itself, where it asks for none", async () => {
      for (const error of [
        make({ status: 401, data: { errcode: "M_UNKNOWN_TOKEN" } }),
        make({ status: 403, data: { errcode: "M_FORBIDDEN", flows: LOGIN.flows } }),
        make({ status: 500, data: {} }),
      ]) {
        expect((await begun([fail(error)])).error).to.equal(error);
      }
    });

    it("is known as a rate limit", async () => {
      const limit = { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1 };
      const conversation = await begun([ask([["m.login.sso"]]), refuse(429, limit), succeed]);
      await conversation.submit({});

      expect(conversation.lastStatus).to.include({ errcode: "M_LIMIT_EXCEEDED", retryAfterMs: 1 });
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("is known as an unknown session", async () => {
      const conversation = await begun([
        refuse(401, LOGIN),
        refuse(400, { errcode: "M_UNKNOWN" }),
        refuse(401, LOGIN),
        succeed,
      ]);
      await conversation.submit(PASSWORD);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("is told with the server's words, where a poll fails", async () => {
      const conversation = await begun([
        ask([["m.login.sso"]]),
        refuse(502, { errcode: "M_UNKNOWN", error: "Bad gateway" }),
      ]);
      await conversation.poll();
      expect(conversation.lastStatus).to.deep.equal({ errcode: "M_UNKNOWN", error: "Bad gateway" });
    });
  });
}

describe("InteractiveAuth: anything else that a request is rejected with", () => {
  for (const [name, error] of Object.entries({
    "a TypeError": new TypeError("Failed to fetch"),
    "a DOMException": new DOMException("The operation was aborted", "AbortError"),
    "the library's own RequestError": new RequestError("timeout", "No answer in time"),
    "a Response": new Response("{}", { status: 401 }),
    "an object without a prototype": Object.create(null) as object,
    "a list": [{ flows: [] }],
    "a text": "401",
    "a number": 401,
    null: null,
    undefined,
    "a status alone": { httpStatus: 401 },
    "a status of no kind": { httpStatus: "401", data: null, response: null },
    "a body of text": { statusCode: 401, body: JSON.stringify(LOGIN) },
  })) {
    it(`is what the attempt rejects with, itself: ${name}`, async () => {
      const { outcome, told } = await begun([fail(error)]);
      expect(outcome).to.deep.equal({ error });
      expect(outcome && "error" in outcome && outcome.error).to.equal(error);
      expect(told).to.deep.equal([]);
    });
  }

  it("is known as a 401 by its flows alone, where it has no status", async () => {
    const { stages } = await begun([fail({ data: LOGIN })]);
    expect(stages).to.deep.equal([PASSWORD.type]);
  });

  it("is no answer of a server, where its status is 0: a poll lets the attempt go on", async () => {
    const conversation = await begun([ask([["m.login.sso"]]), fail({ status: 0 }), succeed]);
    await conversation.poll();
    expect(conversation.outcome).to.be.undefined;
    await conversation.poll();
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("is told in a poll by the errcode of the error, where it carries no body", async () => {
    const conversation = await begun([
      ask([["m.login.sso"]]),
      fail({ httpStatus: 502, errcode: "M_UNKNOWN", code: "E", message: "Bad gateway" }),
    ]);
    await conversation.poll();
    expect(conversation.lastStatus).to.deep.equal({ errcode: "M_UNKNOWN", error: "Bad gateway" });
  });

  it("is told in a poll by the library's own code", async () => {
    const conversation = await begun([
      ask([["m.login.sso"]]),
      fail(new RequestError("network_error", "No answer")),
    ]);
    await conversation.poll();
    expect(conversation.lastStatus).to.deep.equal({ errcode: "network_error", error: "No answer" });
  });
});

describe("A failure may pass, so that a person may try again,", () => {
  const named = (name: string): Error => Object.assign(new Error("No answer"), { name });

  for (const [what, error] of Object.entries({
    "fetch finds no server": new TypeError("Failed to fetch"),
    "this library finds none": new RequestError("network_error", "No answer"),
    "matrix-js-sdk finds none": named("ConnectionError"),
    "a time limit has passed": new DOMException("signal timed out", "TimeoutError"),
    "there is a name alone": { name: "RequestError" },
  })) {
    it(`where ${what}, and a poll tells that the network is why`, async () => {
      expect(readFailure(error).transient).to.be.true;

      const conversation = await begun([ask([["m.login.sso"]]), fail(error)]);
      await conversation.poll();
      expect(conversation.lastStatus?.errcode).to.equal("network_error");
    });
  }

  for (const status of [408, 429, 500, 502, 599]) {
    it(`where the status is ${status}, which is no fault of the network`, () => {
      const failure = readFailure({ httpStatus: status, name: "ConnectionError" });

      expect(failure).to.include({ status, transient: true, errcode: undefined });
    });
  }

  for (const status of [400, 401, 403, 404, 407, 409, 428, 430, 499]) {
    it(`but not where the status is ${status}, whatever the error is called`, () => {
      expect(readFailure({ httpStatus: status, name: "TimeoutError" }).transient).to.be.false;
    });
  }

  for (const [what, error] of Object.entries({
    "somebody called it off": new DOMException("The operation was aborted", "AbortError"),
    "a program has a fault": new RangeError("Out of range"),
    "nothing is known": undefined,
    "there is but a text": "TimeoutError",
    "the name is no text": { name: 5, code: "E" },
  })) {
    it(`but not where ${what}, and nobody blames the network`, () => {
      const { transient, errcode } = readFailure(error);

      expect(transient).to.be.false;
      expect(errcode).not.to.equal("network_error");
    });
  }
});
