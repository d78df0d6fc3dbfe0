import { expect } from "@open-wc/testing";
import { NoAuthFlowFoundError, UiaError, type IInputs } from "matrix-auth-elements/core";
import {
  ADDRESS,
  CAPTCHA,
  EMAIL,
  MSISDN,
  PASSWORD,
  SSO,
  TERMS,
  challenge,
  flowsOf,
  startUia,
  succeed,
  runUia,
} from "./uia-harness.ts";

const X = "org.example.x";
const Y = "org.example.y";
const PHONE = { phoneCountry: "GB", phoneNumber: "07700900000" };
const MAIL = { emailAddress: ADDRESS };
const BOTH = { ...PHONE, ...MAIL };
const EMPTY = { emailAddress: "", phoneCountry: "", phoneNumber: "", registrationToken: "" };

/** The flows, and the chosen one. */
type Choice = readonly [
  title: string,
  chosen: number,
  flows: readonly string[][],
  inputs?: IInputs,
  supportedStages?: readonly string[],
];

const CHOICES: readonly Choice[] = [
  ["a flow that validates a given address", 1, [[X], [TERMS, X, EMAIL]], MAIL],
  ["a flow that validates a given number", 1, [[X], [TERMS, X, MSISDN]], PHONE],
  ["a flow that validates both if given", 2, [[EMAIL], [MSISDN], [EMAIL, MSISDN, X]], BOTH],
  ["a flow that validates either when none validates both", 1, [[X], [MSISDN], [EMAIL]], BOTH],
  ["no number when only its country is given", 0, [[X], [MSISDN]], { phoneCountry: "GB" }],
  ["no number when its country is not given", 0, [[X], [MSISDN]], { phoneNumber: "0770" }],
  ["no flow for inputs that are empty strings", 1, [[EMAIL, MSISDN], [X]], EMPTY],
  ["a flow without an address when none is given", 1, [[EMAIL], [TERMS, CAPTCHA]]],
  ["no number when an address is given", 2, [[X], [EMAIL, MSISDN], [EMAIL, X]], MAIL],
  ["a flow with an address and a number when it is the only one", 0, [[EMAIL, MSISDN]]],
  ["a flow with a number when it is the only one for an address", 0, [[EMAIL, MSISDN]], MAIL],
  ["a flow with a registration token when it is the only one", 0, [["m.login.registration_token"]]],
  ["the shortest flow", 1, [[TERMS, CAPTCHA], [X]]],
  ["the first flow of those that are alike", 0, Array.from("abcdefghijklm", (name) => [name])],
  ["a flow with m.login.dummy, which needs no view", 1, [[SSO], [X, "m.login.dummy"]], {}, [X]],
  ["a longer flow with a view for each stage", 1, [[Y], [TERMS, X, SSO]], {}, [X, TERMS, SSO]],
  ["the fewest stages without a view", 2, [[EMAIL], [X, Y], [TERMS, X, SSO]], {}, [TERMS, SSO]],
  ["a flow without any view when it is the only one", 0, [[X]], {}, []],
  ["a flow without a view for a given address", 0, [[X, EMAIL], [X]], MAIL, [X]],
  ["the first flow of those that are alike without a view", 0, [[X], [Y]], {}, [TERMS]],
];

describe("InteractiveAuth's choice of a flow", () => {
  for (const [title, chosen, flows, inputs = {}, supportedStages] of CHOICES) {
    it(`chooses ${title}`, async () => {
      const harness = await startUia([challenge(flows)], { inputs, supportedStages });

      harness.expect({ flow: flows[chosen], outcome: "pending" });
    });
  }

  for (const [title, flows, others, inputs] of [
    ["the other of two", [[PASSWORD.type], [SSO]], [SSO, PASSWORD.type]],
    ["each of three, then the first again", [[X], [Y], [SSO]], [Y, SSO, X]],
    ["none where there is one", [[X]], [X]],
    ["none that continues with the same stage", [[X], [X, Y]], [X]],
    ["none that lacks the address that is given", [[EMAIL], [X]], [EMAIL], MAIL],
    [
      "the other of two with the given address",
      [
        [EMAIL, X],
        [Y, EMAIL],
      ],
      [Y, EMAIL],
      MAIL,
    ],
  ] as const) {
    it(`lets the user choose another flow: ${title}`, async () => {
      const harness = await startUia([challenge(flows)], { inputs });
      for (const stage of others) {
        const before = harness.auth.getChosenFlow();
        const other = harness.auth.getOtherFlow();
        await harness.auth.chooseOtherFlow();
        const flow = harness.auth.getChosenFlow();
        expect(flow?.stages[0]).to.equal(stage);
        expect(other).to.equal(flow === before ? undefined : flow);
      }
      expect(harness.requests).to.deep.equal([null]);
    });
  }

  it("offers no flow whose stages are all completed", async () => {
    const flows = [[CAPTCHA], [CAPTCHA, TERMS]];
    const harness = await startUia([challenge(flows, { completed: [CAPTCHA] })]);

    expect(harness.auth.getOtherFlow()).to.be.undefined;
    harness.expect({ flow: [CAPTCHA, TERMS] });
  });

  for (const [title, flows, inputs, required_stages] of [
    ["no flow validates the address that is given", [[TERMS], [MSISDN]], MAIL, [EMAIL]],
    ["no flow validates the number that is given", [[TERMS], [EMAIL]], PHONE, [MSISDN]],
    ["no flow validates the number in addition to the address", [[TERMS], [EMAIL]], BOTH, [MSISDN]],
    ["no flow validates either address or number", [[TERMS]], BOTH, [EMAIL, MSISDN]],
    ["the homeserver offers no flow", [], {}, []],
    ["there are neither flows nor inputs", [], undefined, []],
  ] as const) {
    it(`rejects with NoAuthFlowFoundError and the required stages when ${title}`, async () => {
      const harness = await startUia([challenge(flows)], { inputs });

      expect(harness.error).to.be.instanceOf(NoAuthFlowFoundError).and.instanceOf(UiaError);
      expect(harness.error).to.deep.include({
        name: "NoAuthFlowFoundError",
        code: "no_auth_flow",
        message: "No appropriate authentication flow found",
        required_stages,
        flows: flowsOf(...flows),
      });
      harness.expect({ updates: [], flow: undefined });
    });
  }

  it("rejects with no_auth_flow and no request when the caller's 401 has no flow to use", () =>
    runUia([], [], {
      options: { authData: { flows: flowsOf([TERMS]) }, inputs: MAIL },
      requests: [],
      outcome: "no_auth_flow",
    }));

  it("chooses a flow with an address when an address's validation is resumed", () =>
    runUia([challenge([[TERMS], [EMAIL]])], [], { options: { emailSid: "sid-0" }, flow: [EMAIL] }));

  it("chooses a flow again when the homeserver's flows change", () =>
    runUia([challenge([[PASSWORD.type]]), challenge([[CAPTCHA, TERMS]])], [PASSWORD], {
      flow: [CAPTCHA, TERMS],
      stages: [PASSWORD.type, CAPTCHA],
    }));

  it("chooses the flow with the fewest remaining stages when the homeserver's flows change", () =>
    runUia(
      [
        challenge([[PASSWORD.type, TERMS]]),
        challenge([[EMAIL], [CAPTCHA, X], [PASSWORD.type, TERMS, SSO]], {
          completed: [TERMS, PASSWORD.type],
        }),
      ],
      [PASSWORD],
      { stages: [PASSWORD.type, SSO] },
    ));

  it("chooses the shortest flow with a given number when the address is already validated", () =>
    runUia(
      [
        challenge([[EMAIL, MSISDN]]),
        challenge([[EMAIL, CAPTCHA, TERMS], [MSISDN]], { completed: [EMAIL] }),
      ],
      [{}],
      { options: { inputs: BOTH }, flow: [MSISDN] },
    ));

  it("rejects with no_auth_flow when the new flows do not validate the address", () =>
    runUia([challenge([[EMAIL]]), challenge([[TERMS]])], [{}], {
      options: { inputs: MAIL },
      stages: [EMAIL, EMAIL],
      outcome: "no_auth_flow",
    }));

  it("chooses a flow with remaining stages when those of the chosen one aren't enough", () =>
    runUia(
      [
        challenge([[CAPTCHA], [CAPTCHA, TERMS]]),
        challenge([[CAPTCHA], [CAPTCHA, TERMS]], { completed: [CAPTCHA] }),
        succeed,
      ],
      [{ type: CAPTCHA }, { type: TERMS }],
      { flow: [CAPTCHA, TERMS], outcome: "resolved" },
    ));

  it("keeps its flow when a response contains the same flows again", async () => {
    const flows = [[CAPTCHA], [TERMS]];
    const harness = await startUia([challenge(flows), challenge(flows)]);
    const before = harness.auth.getChosenFlow();
    await harness.submit({ type: CAPTCHA });

    expect(harness.auth.getChosenFlow()).to.equal(before);
  });

  it("rejects with flow_exhausted when no flow has stages left, and then starts a new session", async () => {
    const exhausted = challenge([[CAPTCHA]], { completed: [CAPTCHA], error: "Not enough" });
    const harness = await startUia([challenge([[CAPTCHA]]), exhausted]);
    await harness.submit({ type: CAPTCHA });

    expect(harness.error).to.include({
      name: "UiaError",
      code: "flow_exhausted",
      message: "Every stage is complete, but the homeserver requires more",
      reason: "Not enough",
    });
    expect((harness.error as Error).cause).to.have.property("httpStatus", 401);

    // That session cannot be completed, so the next attempt starts a new one.
    harness.responses.push(challenge([[CAPTCHA]], { session: "session-2" }));
    await harness.start();
    expect(harness.requests[2]).to.be.null;
    harness.expect({ stages: [CAPTCHA, CAPTCHA], outcome: "pending" });
  });
});
