import { expect } from "@open-wc/testing";
import { NoAuthFlowFoundError, UiaError, type IInputs } from "matrix-auth-elements/core";
import { ADDRESS, PASSWORD, RESULT, ask, begun, flowsOf, succeed } from "./uia-harness.ts";

const EMAIL = "m.login.email.identity";
const MSISDN = "m.login.msisdn";
const TERMS = "m.login.terms";
const CAPTCHA = "m.login.recaptcha";
const PHONE = { phoneCountry: "GB", phoneNumber: "07700900000" };

/** The stages of the flow that is chosen of these. */
async function chosen(
  flows: readonly string[][],
  inputs: IInputs = {},
  supportedStages?: readonly string[],
): Promise<readonly string[] | undefined> {
  const { auth, error } = await begun([ask(flows)], { inputs, supportedStages });
  if (error !== undefined) throw error;
  return auth.getChosenFlow()?.stages;
}

async function expectNoFlow(
  flows: readonly string[][],
  inputs: IInputs | undefined,
  requiredStages: readonly string[],
): Promise<void> {
  const { auth, error, told } = await begun([ask(flows)], { inputs });
  expect(error).to.be.instanceOf(NoAuthFlowFoundError).and.instanceOf(UiaError);
  expect(error).to.include({
    name: "NoAuthFlowFoundError",
    code: "no_auth_flow",
    message: "No appropriate authentication flow found",
  });
  expect((error as NoAuthFlowFoundError).required_stages).to.deep.equal(requiredStages);
  expect((error as NoAuthFlowFoundError).flows).to.deep.equal(flowsOf(...flows));
  expect(told).to.deep.equal([]);
  expect(auth.getChosenFlow()).to.be.undefined;
}

describe("InteractiveAuth: the choice of a flow", () => {
  it("takes a flow that verifies the address that was given, however long", async () => {
    const flows = [[PASSWORD.type], [TERMS, CAPTCHA, EMAIL]];
    expect(await chosen(flows, { emailAddress: ADDRESS })).to.deep.equal(flows[1]);
  });

  it("takes a flow that verifies the number that was given, however long", async () => {
    const flows = [[PASSWORD.type], [TERMS, CAPTCHA, MSISDN]];
    expect(await chosen(flows, PHONE)).to.deep.equal(flows[1]);
  });

  it("counts the stage that asks for nothing as one that needs no view", async () => {
    const flows = [["m.login.sso"], [PASSWORD.type, "m.login.dummy"]];
    expect(await chosen(flows, {}, [PASSWORD.type])).to.deep.equal(flows[1]);
  });

  it("takes a flow that verifies both, where both are given", async () => {
    const flows = [[EMAIL], [MSISDN], [EMAIL, MSISDN, TERMS]];
    expect(await chosen(flows, { ...PHONE, emailAddress: ADDRESS })).to.deep.equal(flows[2]);
  });

  it("takes a flow that verifies one of both, where no flow verifies both", async () => {
    const flows = [[TERMS], [MSISDN], [EMAIL]];
    expect(await chosen(flows, { ...PHONE, emailAddress: ADDRESS })).to.deep.equal(flows[1]);
  });

  it("takes neither country nor number alone for a number", async () => {
    const flows = [[PASSWORD.type], [MSISDN]];
    expect(await chosen(flows, { phoneCountry: "GB" })).to.deep.equal(flows[0]);
    expect(await chosen(flows, { phoneNumber: "07700900000" })).to.deep.equal(flows[0]);
  });

  it("takes empty texts for nothing", async () => {
    const inputs = { emailAddress: "", phoneCountry: "", phoneNumber: "", registrationToken: "" };
    expect(await chosen([[EMAIL, MSISDN], [TERMS]], inputs)).to.deep.equal([TERMS]);
  });

  it("takes a validation that is under way for an address that was given", async () => {
    const { auth } = await begun([ask([[TERMS], [EMAIL]])], { emailSid: "sid-0" });
    expect(auth.getChosenFlow()).to.deep.equal({ stages: [EMAIL] });
  });

  it("avoids a flow that asks for what was not given", async () => {
    expect(await chosen([[EMAIL], [TERMS, CAPTCHA]])).to.deep.equal([TERMS, CAPTCHA]);
    const onlyEmail = { emailAddress: ADDRESS };
    expect(
      await chosen(
        [
          [EMAIL, MSISDN],
          [EMAIL, TERMS],
        ],
        onlyEmail,
      ),
    ).to.include(TERMS);
  });

  it("rules no flow out because of what was not given", async () => {
    expect(await chosen([[EMAIL, MSISDN]])).to.deep.equal([EMAIL, MSISDN]);
    expect(await chosen([["m.login.registration_token"]])).to.have.length(1);
    expect(await chosen([[EMAIL, MSISDN]], { emailAddress: ADDRESS })).to.have.length(2);
  });

  it("takes the shorter of two flows", async () => {
    expect(await chosen([[TERMS, CAPTCHA], [PASSWORD.type]])).to.deep.equal([PASSWORD.type]);
  });

  it("keeps the server's order between flows that are alike", async () => {
    expect(await chosen([[CAPTCHA], [TERMS], [PASSWORD.type]])).to.deep.equal([CAPTCHA]);
    expect(await chosen([[TERMS], [CAPTCHA], [PASSWORD.type]])).to.deep.equal([TERMS]);
    const many = Array.from({ length: 40 }, (_, n) => [`org.example.${n}`]);
    expect(await chosen(many)).to.deep.equal(["org.example.0"]);
  });

  describe("by supportedStages", () => {
    it("takes a longer flow that has a view for each stage", async () => {
      const flows = [["org.example.x"], [TERMS, CAPTCHA, PASSWORD.type]];
      expect(await chosen(flows, {}, [PASSWORD.type, CAPTCHA, TERMS])).to.deep.equal(flows[1]);
    });

    it("takes the flow with the fewest stages without a view", async () => {
      const flows = [
        ["org.example.x", "org.example.y"],
        [TERMS, "org.example.z", CAPTCHA],
      ];
      expect(await chosen(flows, {}, [TERMS, CAPTCHA])).to.deep.equal(flows[1]);
    });

    it("excludes no flow: what has no view goes to a fallback page", async () => {
      expect(await chosen([["org.example.x"]], {}, [])).to.deep.equal(["org.example.x"]);
      expect(
        await chosen([[TERMS, EMAIL], [TERMS]], { emailAddress: ADDRESS }, [TERMS]),
      ).to.include(EMAIL);
    });

    it("keeps the server's order between flows that are alike", async () => {
      expect(await chosen([["org.example.x"], ["org.example.y"]], {}, [TERMS])).to.deep.equal([
        "org.example.x",
      ]);
    });
  });

  describe("ends with NoAuthFlowFoundError", () => {
    it("where no flow verifies the address that was given", () =>
      expectNoFlow([[TERMS], [MSISDN]], { emailAddress: ADDRESS }, [EMAIL]));

    it("where no flow verifies the number that was given", () =>
      expectNoFlow([[TERMS], [EMAIL]], PHONE, [MSISDN]));

    it("naming what cannot be used, not what can", () =>
      expectNoFlow([[TERMS], [EMAIL]], { ...PHONE, emailAddress: ADDRESS }, [MSISDN]));

    it("naming both, where neither can be used", () =>
      expectNoFlow([[TERMS]], { ...PHONE, emailAddress: ADDRESS }, [EMAIL, MSISDN]));

    it("where the homeserver offers no flow", () => expectNoFlow([], {}, []));

    it("where the caller has no inputs, and the homeserver no flow", () =>
      expectNoFlow([], undefined, []));

    it("where the caller's 401 has no flow that can use the address, without a request", async () => {
      const { error, requests } = await begun([], {
        authData: { flows: flowsOf([TERMS]) },
        inputs: { emailAddress: ADDRESS },
      });
      expect(error).to.be.instanceOf(NoAuthFlowFoundError);
      expect(requests).to.deep.equal([]);
    });
  });

  describe("where the server's flows change", () => {
    it("is made again", async () => {
      const conversation = await begun([ask([[PASSWORD.type]]), ask([[CAPTCHA, TERMS]])]);
      await conversation.submit(PASSWORD);

      expect(conversation.auth.getChosenFlow()).to.deep.equal({ stages: [CAPTCHA, TERMS] });
      expect(conversation.stages).to.deep.equal([PASSWORD.type, CAPTCHA]);
    });

    it("counts only the stages that are left", async () => {
      const conversation = await begun([
        ask([[PASSWORD.type, TERMS]]),
        ask(
          [
            [CAPTCHA, "org.example.x"],
            [PASSWORD.type, TERMS, "m.login.sso"],
          ],
          {
            completed: [TERMS, PASSWORD.type],
          },
        ),
      ]);
      await conversation.submit(PASSWORD);
      expect(conversation.stages).to.deep.equal([PASSWORD.type, "m.login.sso"]);
    });

    it("takes the shorter one, also where that asks for a number that was given", async () => {
      const conversation = await begun(
        [ask([[EMAIL, MSISDN]]), ask([[EMAIL, CAPTCHA, TERMS], [MSISDN]], { completed: [EMAIL] })],
        { inputs: { ...PHONE, emailAddress: ADDRESS } },
      );
      await conversation.submit({});

      expect(conversation.auth.getChosenFlow()).to.deep.equal({ stages: [MSISDN] });
    });

    it("can end the attempt", async () => {
      const conversation = await begun([ask([[EMAIL]]), ask([[TERMS]])], {
        inputs: { emailAddress: ADDRESS },
      });
      await conversation.submit({});

      expect(conversation.error).to.be.instanceOf(NoAuthFlowFoundError);
      expect(conversation.stages).to.deep.equal([EMAIL, EMAIL]);
    });

    it("is not made again where they only come in new objects", async () => {
      const flows = [[CAPTCHA], [TERMS]];
      const conversation = await begun([ask(flows), ask(flows), succeed]);
      const before = conversation.auth.getChosenFlow();
      await conversation.submit({ type: CAPTCHA });

      expect(conversation.auth.getChosenFlow()).to.equal(before);
    });
  });

  describe("where the stages of the flow are completed, and the homeserver asks on", () => {
    it("is made again, for a flow with stages left", async () => {
      const flows = [[CAPTCHA], [CAPTCHA, TERMS]];
      const conversation = await begun([ask(flows), ask(flows, { completed: [CAPTCHA] }), succeed]);
      await conversation.submit({ type: CAPTCHA });
      expect(conversation.auth.getChosenFlow()).to.deep.equal({ stages: [CAPTCHA, TERMS] });
      await conversation.submit({ type: TERMS });

      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("ends with flow_exhausted, and the 401 as its cause, where no flow has stages left", async () => {
      const conversation = await begun([
        ask([[CAPTCHA]]),
        ask([[CAPTCHA]], { completed: [CAPTCHA] }),
      ]);
      await conversation.submit({ type: CAPTCHA });

      expect(conversation.error).to.be.instanceOf(UiaError).and.include({
        code: "flow_exhausted",
        message: "Every stage is completed, but not enough",
      });
      expect((conversation.error as Error).cause).to.have.property("httpStatus", 401);
    });

    it("is made again in a further attempt, which begins another session: this one leads nowhere", async () => {
      const conversation = await begun([
        ask([[CAPTCHA]]),
        ask([[CAPTCHA]], { completed: [CAPTCHA] }),
        ask([[CAPTCHA]], { session: "session-2" }),
      ]);
      await conversation.submit({ type: CAPTCHA });
      await conversation.begin();

      expect(conversation.requests[2]).to.be.null;
      expect(conversation.stages).to.deep.equal([CAPTCHA, CAPTCHA]);
      expect(conversation.outcome).to.be.undefined;
    });
  });
});
