import { expect } from "@open-wc/testing";
import type { NoAuthFlowFoundError } from "matrix-auth-elements/core";
import {
  LOGIN,
  PASSWORD,
  SESSION,
  SSO,
  TERMS,
  challenge,
  deepFreeze,
  flowsOf,
  poll,
  refuse,
  startUia,
  succeed,
  runUia,
} from "./uia-harness.ts";

const MEGABYTE = "x".repeat(1 << 20);
const LONG_NAME = "s".repeat(255);

/** Parses a text like a response. `__proto__` becomes an ordinary member. */
const parsed = (text: string): object => JSON.parse(text) as object;

const INVALID_FLOWS = {
  "is null": null,
  "is a string": "m.login.password",
  "is a list": ["m.login.password"],
  "has no stages": {},
  "has a string instead of stages": { stages: "m.login.password" },
  "has an empty list of stages": { stages: [] },
  "has a stage that is a number": { stages: ["m.login.sso", 7] },
  "has a stage that is null": { stages: [null] },
  "has a stage that is an object": { stages: [{ toString: "m.login.sso" }] },
  "has a stage without a name": { stages: [""] },
  "has a stage with a name of 256 characters": { stages: [`${LONG_NAME}s`] },
  "has 33 stages": { stages: Array.from({ length: 33 }, (_, n) => `s${n}`) },
};

describe("InteractiveAuth with a 401 that a hostile homeserver sends", () => {
  for (const body of [
    ...[undefined, null, "all", 7, {}, { length: 1, 0: { stages: ["x"] } }].map((flows) => ({
      flows,
      session: SESSION,
    })),
    ...[null, [], "unauthorized", 7, [{ flows: [] }]],
  ]) {
    it(`rejects with the 401 when its body is ${JSON.stringify(body)}`, () =>
      runUia([refuse(401, body)], [], { updates: [], outcome: "401" }));
  }

  for (const [what, flow] of Object.entries(INVALID_FLOWS)) {
    it(`ignores a flow that ${what}`, () =>
      runUia([refuse(401, { flows: [flow, ...flowsOf(...LOGIN)] })], [], { flow: LOGIN[0] }));
  }

  for (const [what, flow] of Object.entries(INVALID_FLOWS)) {
    it(`rejects with no_auth_flow when the only flow ${what}`, () =>
      runUia([refuse(401, { flows: [flow] })], [], { outcome: "no_auth_flow" }));
  }

  it("accepts a flow of 32 stages", () =>
    runUia([challenge([Array.from({ length: 32 }, (_, n) => `s${n}`)])], [], { stages: ["s0"] }));

  it("accepts a stage with a name of 255 characters", () =>
    runUia([challenge([[LONG_NAME, PASSWORD.type]])], [], { stages: [LONG_NAME] }));

  it("does not choose a flow that comes after a hundred thousand others", () =>
    runUia(
      [challenge([...Array.from({ length: 100_000 }, (_, n) => [`s${n}`, "more"]), ["short"]])],
      [],
      { flow: ["s0", "more"] },
    ));

  for (const completed of [null, "m.login.password", { 0: "m.login.password" }, [7, null, {}]]) {
    it(`counts no stage as completed when the list of them is ${JSON.stringify(completed)}`, () =>
      runUia([challenge(LOGIN, { completed })], [], { stages: [PASSWORD.type], completed: [] }));
  }

  it("truncates the messages of a rejection after 1000 characters", () =>
    runUia(
      [challenge(LOGIN), challenge(LOGIN, { errcode: MEGABYTE, error: MEGABYTE })],
      [PASSWORD],
      { lastStatus: { errcode: "x".repeat(1000), error: "x".repeat(1000) } },
    ));

  it("truncates the message of a failed poll after 1000 characters", () =>
    runUia([challenge([[SSO]]), refuse(502, { error: MEGABYTE })], [poll], {
      lastStatus: { errcode: "server_error", error: "x".repeat(1000) },
    }));

  it("lists at most 64 flows in the error", async () => {
    const flows = Array.from({ length: 5000 }, (_, n) => [`s${n}`]);
    const { error } = await startUia([challenge(flows)], { inputs: { emailAddress: "a@b.c" } });

    expect((error as NoAuthFlowFoundError).flows).to.have.length(64);
  });

  describe("that uses the names of Object.prototype's members", () => {
    afterEach(() => {
      expect(({} as Record<string, unknown>)["polluted"], "Object.prototype").to.be.undefined;
      expect(Object.prototype.toString.call({})).to.equal("[object Object]");
    });

    for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
      it(`reads a stage's parameter named ${name} like any other`, async () => {
        const params = parsed(`{"${name}": {"polluted": true}}`);
        const { auth } = await startUia([challenge([[TERMS]], { params })]);
        const without = await startUia([challenge(LOGIN)]);

        expect(auth.getStageParams(name)).to.deep.equal({ polluted: true });
        expect(auth.getStageParams("polluted")).to.be.undefined;
        expect(without.auth.getStageParams(name)).to.be.undefined;
      });

      it(`completes a stage named ${name} like any other`, async () => {
        const flow = [[name, PASSWORD.type]];
        const harness = await startUia([
          challenge(flow),
          challenge(flow, { completed: [name] }),
          succeed,
        ]);
        await harness.submit({ type: name, threepid_creds: { polluted: true } });
        await harness.submit(PASSWORD);

        harness.expect({ stages: [name, PASSWORD.type], outcome: "resolved" });
      });
    }

    it("ignores __proto__ at the top of the body and in a flow", async () => {
      const body = parsed(
        `{"flows": [{"stages": ["m.login.sso"], "__proto__": {"polluted": true}}],
          "__proto__": {"polluted": true, "session": "inherited"}}`,
      );
      const harness = await startUia([refuse(401, body)]);
      const given = await startUia([], { authData: body as never });

      harness.expect({ stages: [SSO], sessionId: null });
      given.expect({ stages: [SSO], sessionId: null });
    });
  });

  it("doesn't change the body, the options, or the submission", async () => {
    const body = {
      flows: flowsOf(["org.example.long", "org.example.longer"], [PASSWORD.type]),
      params: { [PASSWORD.type]: { hint: ["a"] } },
      session: "s",
      completed: ["org.example.long"],
    };
    const before = structuredClone(body);
    const authData = deepFreeze(body);
    const harness = await startUia([refuse(401, authData), succeed], {
      authData,
      sessionId: "another",
      supportedStages: Object.freeze([PASSWORD.type]),
      inputs: Object.freeze({}),
    });
    await harness.submit(Object.freeze({ ...PASSWORD }));
    await harness.submit(Object.freeze({ ...PASSWORD }));

    expect(body).to.deep.equal(before);
    harness.expect({ outcome: "resolved" });
  });

  it("is not affected when the caller changes its 401 later", async () => {
    const authData = { flows: flowsOf([PASSWORD.type]), session: SESSION };
    const harness = await startUia([], { authData });
    authData.flows[0]?.stages.unshift(TERMS);
    authData.session = "another";

    harness.expect({ flow: [PASSWORD.type], sessionId: SESSION });
  });
});
