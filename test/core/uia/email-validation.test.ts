import { expect } from "@open-wc/testing";
import { InteractiveAuth } from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import {
  ADDRESS,
  EMAIL,
  HeldResponse,
  SECRET,
  SESSION,
  TERMS,
  UiaHarness,
  challenge,
  completing,
  deepFreeze,
  emailSent,
  fail,
  flowsOf,
  idle,
  matrixError,
  poll,
  refuse,
  start,
  startUia,
  succeed,
  runUia,
  type HarnessOptions,
  type Respond,
} from "./uia-harness.ts";

const FLOW = [[TERMS, EMAIL]];
const AT_EMAIL = challenge(FLOW, { completed: [TERMS] });
const UNVALIDATED = { errcode: "M_UNAUTHORIZED", error: "Unable to get validated threepid" };
const NOT_YET = challenge(FLOW, { completed: [TERMS], ...UNVALIDATED });
const IN_USE = matrixError(400, { errcode: "M_THREEPID_IN_USE", error: "Already in use" });
const LOST = new TypeError("Failed to fetch");
const RESUMED = { emailSid: "sid-0", inputs: {} };
const OTHER = "other@example.org";
const inputs = { emailAddress: ADDRESS };
const CREDENTIALS = {
  type: EMAIL,
  session: SESSION,
  threepid_creds: { sid: "sid-1", client_secret: SECRET },
};

const emails = (...emailResponses: readonly Respond[]): HarnessOptions => ({ emailResponses });
const hasSid =
  (sid: string) =>
  ({ auth }: UiaHarness) =>
    expect(auth.getEmailSid()).to.equal(sid);
/** Like `runUia`, with an email address. */
const runAtEmail: typeof runUia = (responses, actions, { options, ...expected }) =>
  runUia(responses, actions, { options: { inputs, ...options }, ...expected });
const requestEmail =
  (address?: string) =>
  ({ auth }: UiaHarness): Promise<void> =>
    auth.requestEmailToken(address);

describe("InteractiveAuth at the email stage", () => {
  afterEach(restoreStubs);

  it("requests the email only when its stage starts", () =>
    runAtEmail(
      [challenge(FLOW), AT_EMAIL],
      [
        ({ emails }) => expect(emails).to.deep.equal([]),
        { type: TERMS },
        ({ emails }) =>
          expect(emails).to.deep.equal([
            { email: ADDRESS, secret: SECRET, attempt: 1, session: SESSION },
          ]),
      ],
      {
        stages: [TERMS, EMAIL, EMAIL],
        statuses: [{}, {}, { emailSid: "sid-1" }],
        emailSid: "sid-1",
      },
    ));

  for (const [what, responses, session] of [
    ["the session of the 401 that the caller has", [], "before"],
    ["null when the homeserver keeps none", [challenge([[EMAIL]], { session: undefined })], null],
  ] as const) {
    it(`requests the email with the session ${what}`, () =>
      runAtEmail(responses, [({ emails }) => expect(emails[0]?.session).to.equal(session)], {
        options: {
          authData: session ? deepFreeze({ flows: flowsOf([EMAIL]), session }) : undefined,
        },
        stages: [EMAIL, EMAIL],
        statuses: [{}, { emailSid: "sid-1" }],
      }));
  }

  it("requests no email without an address, until one is given", () =>
    runUia([AT_EMAIL], [({ emails }) => expect(emails).to.deep.equal([]), requestEmail(OTHER)], {
      emailAddresses: [OTHER],
      stages: [EMAIL, EMAIL],
      statuses: [{}, { emailSid: "sid-1" }],
    }));

  it("requests no email when a validation is resumed", () =>
    runAtEmail([AT_EMAIL], [], {
      options: { emailSid: "sid-0" },
      emailAddresses: [],
      stages: [EMAIL],
      statuses: [{ emailSid: "sid-0" }],
    }));

  it("requests one email, even if the stage is rejected several times", () =>
    runAtEmail([AT_EMAIL, NOT_YET, NOT_YET], [{}, {}], {
      emailAttempts: [1],
      lastStatus: { ...UNVALIDATED, emailSid: "sid-1" },
    }));

  it("reports no emailSid and sends no credentials at a stage after its own", () =>
    runAtEmail([...completing(EMAIL, TERMS), challenge([[EMAIL, TERMS]])], [poll, poll], {
      stages: [EMAIL, EMAIL, TERMS],
      statuses: [{}, { emailSid: "sid-1" }, {}],
      requests: [null, CREDENTIALS, { session: SESSION }],
    }));

  it("numbers repeated requests for emails, reports the new sid, and keeps the last address", () =>
    runAtEmail([AT_EMAIL], [requestEmail(OTHER), requestEmail()], {
      options: emails(emailSent("1"), emailSent("2"), emailSent("3")),
      emailAddresses: [ADDRESS, OTHER, OTHER],
      emailAttempts: [1, 2, 3],
      lastStatus: { emailSid: "3" },
    }));

  it("does not report an email that is requested at another stage, nor request another", () =>
    runAtEmail([challenge(FLOW), AT_EMAIL], [requestEmail(), { type: TERMS }], {
      emailAttempts: [1],
      stages: [TERMS, EMAIL],
      statuses: [{}, { emailSid: "sid-1" }],
    }));

  it("reports the reason that an email cannot be sent, requests no other automatically, and continues the attempt", () =>
    runAtEmail(
      [AT_EMAIL, NOT_YET, succeed],
      [({ auth }) => expect(auth.getEmailSid()).to.be.undefined, {}, {}],
      {
        options: emails(fail(IN_USE)),
        emailAttempts: [1],
        stages: [EMAIL, EMAIL, EMAIL],
        statuses: [{}, { errcode: "M_THREEPID_IN_USE", error: "Already in use" }, UNVALIDATED],
        outcome: "resolved",
      },
    ));

  for (const response of [null, undefined, {}, { sid: "" }, { sid: 7 }, "sid"]) {
    it(`reports validation_invalid, and repeats the number, after ${JSON.stringify(response)}`, () =>
      runAtEmail([AT_EMAIL], [requestEmail()], {
        options: emails(() => response),
        emailAttempts: [1, 1],
        statuses: [
          {},
          { errcode: "validation_invalid", error: "The response contains no validation session" },
          { emailSid: "sid-1" },
        ],
      }));
  }

  it("keeps the validation in the attempt after a failure", () =>
    runAtEmail([AT_EMAIL, refuse(500)], [{}, start], {
      emailAttempts: [1],
      lastStatus: { emailSid: "sid-1" },
    }));

  it("requests another email in an attempt after a success, because the success used up the first", () =>
    runAtEmail([AT_EMAIL, succeed, AT_EMAIL], [poll, hasSid("1"), start], {
      options: emails(emailSent("1"), emailSent("2")),
      emailAttempts: [1, 2],
      stages: [EMAIL, EMAIL, EMAIL, EMAIL],
      statuses: [{}, { emailSid: "1" }, {}, { emailSid: "2" }],
    }));

  for (const address of [undefined, ""]) {
    it(`rejects requestEmailToken(${JSON.stringify(address)}) with email_missing`, async () => {
      const harness = await startUia([AT_EMAIL]);

      expect(await rejectionOf(harness.auth.requestEmailToken(address))).to.include({
        name: "UiaError",
        code: "email_missing",
        message: "There is no email address",
      });
      harness.expect({ emailAddresses: [] });
    });
  }

  it("requests no email when stateUpdated sets an email's sid", async () => {
    const harness: UiaHarness = new UiaHarness([AT_EMAIL], {
      inputs,
      stateUpdated: () => harness.auth.setEmailSid("sid-9"),
    });
    await harness.start();

    harness.expect({ emailAddresses: [], emailSid: "sid-9" });
  });

  it("allows calling requestEmailToken() without its object, before the attempt", async () => {
    const { auth, emails } = new UiaHarness([], { inputs });
    const { requestEmailToken } = auth;
    await requestEmailToken();

    expect(emails).to.deep.equal([{ email: ADDRESS, secret: SECRET, attempt: 1, session: null }]);
  });

  it("repeats the attempt's number until an email was sent", () =>
    runAtEmail(
      [AT_EMAIL],
      [
        async ({ auth }) => expect(await rejectionOf(auth.requestEmailToken())).to.equal(LOST),
        requestEmail(),
        requestEmail(),
      ],
      {
        options: emails(fail(IN_USE), fail(LOST), emailSent("1"), emailSent("2")),
        emailAttempts: [1, 1, 1, 2],
      },
    ));

  for (const [what, options, attempt] of [
    ["a validation is resumed", { emailSid: "sid-0" }, 1_700_000],
    ["a session is resumed with its client secret", { sessionId: "old" }, 1_700_000],
    ["only a session is resumed", { sessionId: "old", clientSecret: undefined }, 1],
  ] as const) {
    it(`requests the first email with the number ${attempt} when ${what}`, async () => {
      stub(Date, "now", { value: () => 1_700_000_999 });
      const { auth, emails } = new UiaHarness([], { inputs, ...options });
      await auth.requestEmailToken();

      expect(emails[0]?.attempt).to.equal(attempt);
    });
  }

  for (const [what, sid, address, options] of [
    ["drops the sid of an email to another address", undefined, OTHER, {}],
    ["keeps the sid of an email to the same address", "sid-1", ADDRESS, {}],
    ["keeps the sid that was given without an address", "sid-0", OTHER, RESUMED],
  ] as const) {
    it(`${what} when the next email cannot be sent`, () =>
      runAtEmail(
        [AT_EMAIL],
        [
          async ({ auth }) =>
            expect(await rejectionOf(auth.requestEmailToken(address))).to.equal(IN_USE),
        ],
        {
          options: {
            emailResponses: [...(sid === "sid-0" ? [] : [emailSent("sid-1")]), fail(IN_USE)],
            ...options,
          },
          emailSid: sid,
        },
      ));
  }

  it("rejects requestEmailToken() with the error that the caller's function throws synchronously", async () => {
    const auth = new InteractiveAuth({
      matrixClient: {},
      inputs,
      doRequest: async () => undefined,
      stateUpdated: () => undefined,
      requestEmailToken: () => {
        throw IN_USE;
      },
    });

    expect(await rejectionOf(auth.requestEmailToken())).to.equal(IN_USE);
  });

  it("ends the attempt with the error that stateUpdated throws when it is called for the email", async () => {
    const thrown = new Error("a bug in the page");
    const { error } = await startUia([AT_EMAIL], {
      inputs,
      stateUpdated: (_, { emailSid }) => {
        if (emailSid) throw thrown;
      },
    });

    expect(error).to.equal(thrown);
  });

  describe("while an email is being requested", () => {
    let held: HeldResponse;
    let harness: UiaHarness;
    const REFUSED = refuse(400, { errcode: "M_THREEPID_IN_USE" });

    const startHeld = async (...responses: readonly Respond[]): Promise<void> => {
      held = new HeldResponse();
      harness = await startUia(responses, { inputs, emailResponses: [held.respond] });
    };

    it("does not report a failed email at the stage after it", async () => {
      await startHeld(...completing(EMAIL, TERMS));
      // The user followed the link of an earlier email.
      harness.auth.setEmailSid("sid-0");
      await harness.poll();
      await held.release(REFUSED);

      harness.expect({
        stages: [EMAIL, TERMS],
        statuses: [{}, {}],
      });
    });

    it("reports a failed email once when a further attempt waits for the same email", async () => {
      await startHeld(AT_EMAIL, AT_EMAIL);
      await harness.cancel();
      await harness.start();
      await held.release(REFUSED);

      harness.expect({
        emailAttempts: [1],
        stages: [EMAIL, EMAIL, EMAIL],
        statuses: [{}, {}, { errcode: "M_THREEPID_IN_USE" }],
      });
    });

    for (const [what, respond] of [
      ["a failure", REFUSED],
      ["a success", emailSent("sid-1")],
    ] as const) {
      it(`is not busy after cancel(), and does not report ${what} of the email`, async () => {
        await startHeld(AT_EMAIL);
        await harness.cancel();
        expect(harness.busy).to.deep.equal([true, false]);
        await held.release(respond);

        harness.expect({
          busy: [true, false],
          stages: [EMAIL],
          statuses: [{}],
          outcome: "cancelled",
        });
      });
    }

    it("requests no second email for the same address", async () => {
      await startHeld(AT_EMAIL);
      const calls = [harness.auth.requestEmailToken(), harness.auth.requestEmailToken()];
      await idle();
      await held.release(emailSent("sid-1"));
      await Promise.all(calls);
      harness.expect({
        emailAttempts: [1],
        stages: [EMAIL, EMAIL],
        statuses: [{}, { emailSid: "sid-1" }],
      });

      await harness.auth.requestEmailToken();
      harness.expect({ emailAttempts: [1, 2] });
    });

    it("requests an email for another address after the first, and uses the second", async () => {
      const second = new HeldResponse();
      held = new HeldResponse();
      harness = await startUia([AT_EMAIL], {
        inputs,
        emailResponses: [held.respond, second.respond],
      });
      const other = harness.auth.requestEmailToken(OTHER);
      await idle();
      harness.expect({ emailAddresses: [ADDRESS] });
      await held.release(emailSent("sid-1"));
      harness.expect({ emailAddresses: [ADDRESS, OTHER] });
      const again = harness.auth.requestEmailToken(OTHER);
      await second.release(emailSent("sid-2"));
      await Promise.all([other, again]);

      harness.expect({ emailAddresses: [ADDRESS, OTHER], emailSid: "sid-2" });
    });

    for (const [what, requested, sent] of [
      ["one email for another address, however often it is given", [OTHER, OTHER], [OTHER]],
      ["one email for another address, which is then the last one", [OTHER, undefined], [OTHER]],
      [
        "an email for the first address again after one for another",
        [OTHER, ADDRESS],
        [OTHER, ADDRESS],
      ],
    ] as const) {
      it(`requests ${what}`, async () => {
        await startHeld(AT_EMAIL);
        const calls = requested.map((address) => harness.auth.requestEmailToken(address));
        await held.release(emailSent("sid-1"));
        await Promise.all(calls);

        harness.expect({ emailAddresses: [ADDRESS, ...sent] });
      });
    }

    it("is busy until the response to the request for an email", async () => {
      await startHeld(AT_EMAIL);
      expect(harness.busy).to.deep.equal([true]);
      await held.release(emailSent("sid-1"));

      harness.expect({ busy: [true, false], outcome: "pending" });
    });

    it("polls only with the session while the email is being requested", async () => {
      await startHeld(AT_EMAIL, AT_EMAIL);
      await harness.poll();

      harness.expect({ requests: [null, { session: SESSION }], outcome: "pending" });
    });
  });

  describe("client secret", () => {
    const secretWith = (options: HarnessOptions): string =>
      new UiaHarness([], options).auth.getClientSecret();

    for (const [whose, secret, options] of [
      ["of the caller when one is given", SECRET, {}],
      [
        "that the client generates",
        "of-the-client",
        {
          clientSecret: undefined,
          matrixClient: { generateClientSecret: () => "of-the-client" },
        },
      ],
    ] as const) {
      it(`has the client secret ${whose}`, () => {
        expect(secretWith(options)).to.equal(secret);
      });
    }

    it("has a random client secret of allowed characters otherwise", () => {
      const [a, b] = [0, 1].map(() => secretWith({ clientSecret: undefined }));
      expect(a).to.match(/^[0-9A-Za-z]{32}$/);
      expect(a).to.not.equal(b);
    });

    it("keeps its client secret in a further attempt", async () => {
      const harness = await startUia([AT_EMAIL, succeed, AT_EMAIL], {
        inputs,
        clientSecret: undefined,
      });
      const client_secret = harness.auth.getClientSecret();
      await harness.poll();
      await harness.start();

      expect(harness.emails.map(({ secret }) => secret)).to.deep.equal([
        client_secret,
        client_secret,
      ]);
      expect(harness.requests[1]?.["threepid_creds"]).to.include({ client_secret });
    });
  });
});
