import { expect } from "@open-wc/testing";
import { restoreStubs, stub } from "../../support/stub.ts";
import {
  ADDRESS,
  Held,
  PASSWORD,
  RESULT,
  SECRET,
  SESSION,
  ask,
  begun,
  fail,
  refuse,
  succeed,
  type Answer,
} from "./uia-harness.ts";

const EMAIL = "m.login.email.identity";
const MSISDN = "m.login.msisdn";
const SSO = "m.login.sso";
const AT_EMAIL = ask([[EMAIL]]);
const NOT_YET = ask([[EMAIL]], {
  errcode: "M_UNAUTHORIZED",
  error: "Unable to get validated threepid",
});
const inputs = { emailAddress: ADDRESS };
const CREDENTIALS = { sid: "sid-1", client_secret: SECRET };
const PHONE_CREDENTIALS = { type: MSISDN, threepid_creds: { sid: "7", client_secret: "x" } };
const BUSY = (ms?: number): Answer =>
  refuse(429, { errcode: "M_LIMIT_EXCEEDED", ...(ms !== undefined && { retry_after_ms: ms }) });

describe("InteractiveAuth: polling", () => {
  let now: number;
  beforeEach(() => {
    now = 1_000_000;
    stub(Date, "now", { value: () => now });
  });
  afterEach(restoreStubs);

  it("sends the session alone, in the background, where a stage is completed elsewhere", async () => {
    for (const stage of [SSO, "org.matrix.login.sso", "m.login.terms", "org.example.x"]) {
      const conversation = await begun([ask([[stage]]), succeed]);
      await conversation.poll();

      expect(conversation.requests[1]).to.deep.equal({ session: SESSION });
      expect(conversation.backgrounds).to.deep.equal([false, true]);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    }
  });

  it("sends what proves the address, at each poll of the e-mail stage", async () => {
    const conversation = await begun([AT_EMAIL, NOT_YET, succeed], { inputs });
    await conversation.poll();
    await conversation.poll();

    const expected = { type: EMAIL, session: SESSION, threepid_creds: CREDENTIALS };
    expect(conversation.requests).to.deep.equal([null, expected, expected]);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("sends what proves the address, where its validation is resumed", async () => {
    const conversation = await begun([AT_EMAIL, succeed], {
      sessionId: "old",
      emailSid: "sid-0",
    });
    await conversation.poll();
    expect(conversation.requests).to.deep.equal([
      { session: "old" },
      {
        type: EMAIL,
        session: SESSION,
        threepid_creds: { sid: "sid-0", client_secret: SECRET },
      },
    ]);
  });

  it("sends what proves the address that the caller had a message sent to", async () => {
    const conversation = await begun([AT_EMAIL, succeed]);
    await conversation.poll();
    expect(conversation.requests).to.have.length(1);
    conversation.auth.setEmailSid("sid-9");
    await conversation.poll();

    expect(conversation.requests[1]?.["threepid_creds"]).to.include({ sid: "sid-9" });
  });

  it("sends again what a caller submitted for the address by itself", async () => {
    const conversation = await begun([AT_EMAIL, NOT_YET, succeed]);
    await conversation.submit({ ...PHONE_CREDENTIALS, type: EMAIL });
    await conversation.poll();

    expect(conversation.requests[2]).to.deep.equal({
      ...PHONE_CREDENTIALS,
      type: EMAIL,
      session: SESSION,
    });
  });

  for (const [address, host] of [
    ["https://id.example", "id.example"],
    ["https://id.example:8448/some/path", "id.example:8448"],
    ["no address", undefined],
    ["", undefined],
    [undefined, undefined],
  ] as const) {
    it(`names ${host ?? "no identity server"}, where the client has ${JSON.stringify(address)}`, async () => {
      const conversation = await begun([AT_EMAIL, succeed], {
        inputs,
        matrixClient: { getIdentityServerUrl: () => address },
      });
      await conversation.poll();
      expect(conversation.requests[1]?.["threepid_creds"]).to.deep.equal({
        ...CREDENTIALS,
        ...(host && { id_server: host }),
      });
    });
  }

  it("sends again what was submitted for a phone number", async () => {
    const conversation = await begun([ask([[MSISDN]]), ask([[MSISDN]]), ask([[MSISDN]]), succeed]);
    await conversation.poll();
    expect(conversation.requests, "before there is anything").to.have.length(1);
    await conversation.submit(PHONE_CREDENTIALS);
    await conversation.poll();
    await conversation.poll();

    const expected = { ...PHONE_CREDENTIALS, session: SESSION };
    expect(conversation.requests).to.deep.equal([null, expected, expected, expected]);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("sends again what was submitted last", async () => {
    const conversation = await begun([ask([[MSISDN]]), ask([[MSISDN]]), ask([[MSISDN]]), succeed]);
    await conversation.submit(PHONE_CREDENTIALS);
    const corrected = { ...PHONE_CREDENTIALS, threepid_creds: { sid: "8" } };
    await conversation.submit(corrected);
    await conversation.poll();

    expect(conversation.requests[3]).to.deep.equal({ ...corrected, session: SESSION });
  });

  it("sends what was submitted for a phone number, also after a submit that brings nothing new", async () => {
    const conversation = await begun([ask([[MSISDN]]), ask([[MSISDN]]), ask([[MSISDN]]), succeed]);
    await conversation.submit(PHONE_CREDENTIALS);
    await conversation.submit({ type: MSISDN });
    await conversation.poll();

    expect(conversation.requests[3]).to.deep.equal({ ...PHONE_CREDENTIALS, session: SESSION });
  });

  it("sends what was submitted for a phone number, not what proves an address before it", async () => {
    const flow = [[EMAIL, MSISDN]];
    const at = ask(flow, { completed: [EMAIL] });
    const conversation = await begun([ask(flow), at, at, succeed], { inputs });
    await conversation.poll();
    await conversation.submit(PHONE_CREDENTIALS);
    await conversation.poll();

    expect(conversation.stages.at(-1)).to.equal(MSISDN);
    expect(conversation.requests[3]).to.deep.equal({ ...PHONE_CREDENTIALS, session: SESSION });
  });

  it("sends nothing of a phone number that another attempt succeeded with", async () => {
    const conversation = await begun([ask([[MSISDN]]), succeed, ask([[MSISDN]])]);
    await conversation.submit(PHONE_CREDENTIALS);
    await conversation.begin();
    await conversation.poll();

    expect(conversation.requests).to.have.length(3);
  });

  it("does not make a person wait for longer than a person would, and says so", async () => {
    const conversation = await begun([ask([[SSO]]), BUSY(3_600_000)]);

    expect(await conversation.auth.check()).to.be.false;
    expect(conversation.requests).to.have.length(2);
    expect(conversation.told.at(-1)).to.deep.equal([SSO, { errcode: "M_LIMIT_EXCEEDED" }]);
  });

  it("takes back what an earlier poll said when a person asks", async () => {
    const down = refuse(502, {});
    const conversation = await begun([ask([[SSO]]), down, ask([[SSO]])]);
    await conversation.poll();
    expect(conversation.told.at(-1)?.[1]).not.to.be.empty;

    expect(await conversation.auth.check()).to.be.true;
    expect(conversation.told.at(-1)).to.deep.equal([SSO, {}]);
  });

  it("never overlaps another poll", async () => {
    const held = new Held();
    const conversation = await begun([ask([[SSO]]), held.answer, ask([[SSO]])]);
    const first = conversation.auth.poll();
    await conversation.poll();
    await conversation.poll();
    expect(conversation.requests).to.have.length(2);
    await held.release(ask([[SSO]]));
    await first;
    await conversation.poll();

    expect(conversation.requests).to.have.length(3);
  });

  it("resolves when the answer is dealt with", async () => {
    const flow = [[SSO, PASSWORD.type]];
    const conversation = await begun([ask(flow), ask(flow, { completed: [SSO] })]);
    await conversation.auth.poll();
    expect(conversation.stages).to.deep.equal([SSO, PASSWORD.type]);
  });

  it("sends nothing before the first stage is known", async () => {
    const held = new Held();
    const conversation = await begun([held.answer]);
    await conversation.poll();
    expect(conversation.requests).to.have.length(1);
    await held.release(succeed);
  });

  describe("is no news", () => {
    it("where the stage is not completed yet, in whatever words", async () => {
      const conversation = await begun(
        [AT_EMAIL, NOT_YET, ask([[EMAIL]]), ask([[EMAIL]], { errcode: "M_FORBIDDEN" })],
        { inputs },
      );
      const before = conversation.told.length;
      for (let i = 0; i < 3; i += 1) await conversation.poll();

      expect(conversation.requests).to.have.length(4);
      expect(conversation.told).to.have.length(before);
    });

    it("where it names the completed stages before this one again", async () => {
      const token = "m.login.registration_token";
      const flow = [[token, EMAIL]];
      const conversation = await begun(
        [ask(flow), ask(flow, { completed: [token] }), ask(flow, { completed: [token] })],
        { inputs },
      );
      await conversation.submit({ type: token, token: "abc" });
      const before = conversation.told.length;
      await conversation.poll();

      expect(conversation.stages).to.deep.equal([token, EMAIL, EMAIL]);
      expect(conversation.told).to.have.length(before);
    });
  });

  describe("that fails", () => {
    for (const [name, answer, status] of [
      ["500", refuse(500, { errcode: "M_UNKNOWN", error: "Broken" }), "Broken"],
      ["502", refuse(502, { errcode: "M_UNKNOWN", error: "Bad gateway" }), "Bad gateway"],
      ["no connection", fail(new TypeError("Failed to fetch")), "Failed to fetch"],
    ] as const) {
      it(`with ${name} is told once, and the attempt goes on`, async () => {
        const conversation = await begun([ask([[SSO]]), answer, answer, answer, succeed]);
        for (let i = 0; i < 3; i += 1) await conversation.poll();
        expect(conversation.told).to.have.length(2);
        expect(conversation.lastStatus).to.have.property("error", status);
        await conversation.poll();

        expect(conversation.outcome).to.deep.equal({ value: RESULT });
      });
    }

    it("is taken back, when the next is answered again", async () => {
      const notYet = ask([[SSO]], { errcode: "M_UNAUTHORIZED", error: "Not yet" });
      const down = refuse(502, { error: "Bad gateway" });
      const conversation = await begun([ask([[SSO]]), down, notYet, down, notYet]);
      for (let i = 0; i < 4; i += 1) await conversation.poll();

      const news = conversation.told.slice(1).map(([, status]) => status);
      expect(news).to.deep.equal([{ error: "Bad gateway" }, {}, { error: "Bad gateway" }, {}]);
    });

    it("is forgotten, when a submit is answered", async () => {
      const conversation = await begun([ask([[SSO]]), refuse(502), ask([[SSO]]), ask([[SSO]])]);
      await conversation.poll();
      await conversation.submit({});
      await conversation.poll();

      expect(conversation.told).to.have.length(3);
      expect(conversation.lastStatus).to.deep.equal({});
    });

    for (const status of [400, 401, 403, 404]) {
      it(`with a ${status} that asks for nothing ends the attempt, and resolves`, async () => {
        const conversation = await begun([ask([[SSO]]), refuse(status, { errcode: "M_X" })]);
        await conversation.poll();
        expect(conversation.error).to.include({ httpStatus: status, errcode: "M_X" });
      });
    }

    it("resolves, where the client cannot name its identity server: that ends the attempt", async () => {
      const thrown = new Error("no server");
      const conversation = await begun([AT_EMAIL], {
        inputs,
        matrixClient: {
          getIdentityServerUrl: () => {
            throw thrown;
          },
        },
      });
      await conversation.poll();
      expect(conversation.error).to.equal(thrown);
    });

    it("resolves, where the listener throws: that ends the attempt", async () => {
      const thrown = new Error("a bug in the page");
      const conversation = await begun([ask([[SSO]]), refuse(502)], {
        stateUpdated: (_, { error }) => {
          if (error) throw thrown;
        },
      });
      await conversation.poll();
      expect(conversation.error).to.equal(thrown);
    });
  });

  describe("that is too many", () => {
    it("silences polls for as long as the homeserver says, and tells nobody", async () => {
      const conversation = await begun([ask([[SSO]]), BUSY(7000), succeed]);
      await conversation.poll();
      now += 6999;
      await conversation.poll();
      expect(conversation.requests).to.have.length(2);
      expect(conversation.told).to.have.length(1);
      now += 1;
      await conversation.poll();

      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("silences polls for a while, where the homeserver does not say how long", async () => {
      const conversation = await begun([ask([[SSO]]), BUSY(), succeed]);
      await conversation.poll();
      await conversation.poll();
      expect(conversation.requests).to.have.length(2);
      now += 60_000;
      await conversation.poll();

      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("silences no submit", async () => {
      const conversation = await begun([ask([[SSO]]), BUSY(7000), succeed]);
      await conversation.poll();
      await conversation.submit({});

      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("is not sent again by itself", async () => {
      const conversation = await begun([ask([[SSO]]), BUSY(0), succeed]);
      await conversation.poll();
      expect(conversation.requests).to.have.length(2);
    });
  });

  describe("m.oauth", () => {
    const BARE = { session: SESSION };
    const TYPED = { session: SESSION, type: "m.oauth" };
    const NO_SUCH_FORM = refuse(400, { errcode: "M_INVALID_PARAM" });

    for (const stage of ["m.oauth", "org.matrix.cross_signing_reset"]) {
      const not_yet = ask([[stage]]);

      it(`takes turns with the session alone and with its type, for ${stage}`, async () => {
        const conversation = await begun([not_yet, not_yet, not_yet, not_yet, succeed]);
        for (let i = 0; i < 4; i += 1) await conversation.poll();

        expect(conversation.requests.slice(1)).to.deep.equal([BARE, TYPED, BARE, TYPED]);
        expect(conversation.outcome).to.deep.equal({ value: RESULT });
      });
    }

    const AT_OAUTH = ask([["m.oauth"]]);

    it("drops the bare form, once the homeserver does not know it", async () => {
      const conversation = await begun([AT_OAUTH, NO_SUCH_FORM, AT_OAUTH, AT_OAUTH, succeed]);
      for (let i = 0; i < 4; i += 1) await conversation.poll();

      expect(conversation.requests.slice(1)).to.deep.equal([BARE, TYPED, TYPED, TYPED]);
      expect(conversation.told).to.have.length(1);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("drops the typed form, once the homeserver does not know it", async () => {
      const conversation = await begun([AT_OAUTH, AT_OAUTH, NO_SUCH_FORM, AT_OAUTH, succeed]);
      for (let i = 0; i < 4; i += 1) await conversation.poll();

      expect(conversation.requests.slice(1)).to.deep.equal([BARE, TYPED, BARE, BARE]);
    });

    it("ends where the homeserver knows neither", async () => {
      const conversation = await begun([AT_OAUTH, NO_SUCH_FORM, NO_SUCH_FORM]);
      await conversation.poll();
      expect(conversation.outcome).to.be.undefined;
      await conversation.poll();

      expect(conversation.error).to.have.property("errcode", "M_INVALID_PARAM");
    });

    it("is silenced by a 429 as any other, and leaves out no form for it", async () => {
      const conversation = await begun([AT_OAUTH, BUSY(5000), AT_OAUTH, succeed]);
      await conversation.poll();
      await conversation.poll();
      expect(conversation.requests).to.have.length(2);
      now += 5000;
      await conversation.poll();
      await conversation.poll();

      expect(conversation.requests.slice(1)).to.deep.equal([BARE, TYPED, BARE]);
    });

    it("ends with a 401 that asks for nothing, which is no matter of the form", async () => {
      const conversation = await begun([AT_OAUTH, refuse(401, { errcode: "M_UNKNOWN_TOKEN" })]);
      await conversation.poll();

      expect(conversation.error).to.have.property("errcode", "M_UNKNOWN_TOKEN");
    });

    it("leaves out no form for a failure of the server", async () => {
      const conversation = await begun([
        AT_OAUTH,
        refuse(502, { error: "Bad gateway" }),
        AT_OAUTH,
        succeed,
      ]);
      for (let i = 0; i < 3; i += 1) await conversation.poll();

      expect(conversation.requests.slice(1)).to.deep.equal([BARE, TYPED, BARE]);
      expect(conversation.told[1]?.[1]).to.deep.equal({ error: "Bad gateway" });
    });

    it("begins another session where the homeserver has forgotten it, with both forms", async () => {
      const conversation = await begun([
        AT_OAUTH,
        refuse(400, { errcode: "M_UNKNOWN" }),
        ask([["m.oauth"]], { session: "new" }),
        ...[0, 0, 0].map(() => ask([["m.oauth"]], { session: "new" })),
      ]);
      await conversation.poll();
      await conversation.poll();
      await conversation.poll();

      expect(conversation.requests.slice(2)).to.deep.equal([
        null,
        { session: "new", type: "m.oauth" },
        { session: "new" },
      ]);
    });

    it("polls any other stage with the session alone, and ends where that form is not known", async () => {
      const conversation = await begun([ask([[SSO]]), NO_SUCH_FORM]);
      await conversation.poll();
      expect(conversation.error).to.have.property("errcode", "M_INVALID_PARAM");
    });
  });
});
