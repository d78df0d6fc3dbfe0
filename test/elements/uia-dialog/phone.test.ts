import { expect } from "@open-wc/testing";
import { ScriptedFetch } from "../../support/scripted-fetch.js";
import { Clock } from "../../support/clock.js";
import { stub } from "../../support/stub.js";
import { refusal } from "../support/protected-request.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  Msisdn,
  NUMBER,
  Password,
  Terms,
  element,
  endDialog,
  gate,
  limit,
  outcome,
  refusing,
  ui,
} from "./fixture.js";

const SUBMIT = "https://hs.example/submit";

describe("<uia-dialog> at m.login.msisdn", () => {
  afterEach(endDialog);

  /** The arguments of each request for a code. */
  let calls: unknown[][];
  let server: ScriptedFetch;
  beforeEach(() => {
    calls = [];
    server = new ScriptedFetch({
      [`POST ${SUBMIT}`]: ({ body }) =>
        body.includes("123456")
          ? Response.json({ success: true })
          : body.includes("500500")
            ? Response.json({ errcode: "M_UNKNOWN", error: "Full disk" }, { status: 500 })
            : Response.json({ errcode: "M_TOKEN_INCORRECT", error: "no" }, { status: 400 }),
    });
    const { fetch } = window;
    stub(window, "fetch", {
      value: (input: RequestInfo | URL, init?: RequestInit) =>
        (new Request(input).url.startsWith(location.origin) ? fetch : server.fetch)(input, init),
    });
  });

  /** @param respond How the homeserver responds to each request for a code. */
  const open = (
    set: object = {},
    respond = async (): Promise<object> => ({ sid: "sid", submit_url: SUBMIT }),
  ) => {
    const requestPhoneToken = (...call: unknown[]): Promise<never> => {
      calls.push(call);
      return respond() as Promise<never>;
    };
    return ui.open([Msisdn], { set: { clientSecret: "secret", requestPhoneToken, ...set } });
  };
  /** Enters a number. */
  const enter = async (phone: string): Promise<void> => {
    await ui.numberAsked();
    ui.fill({ country: "GB", phone });
    await ui.press("submit");
  };
  const codeAsked = (): Promise<unknown> => waitFor(() => element.querySelector("[name=code]"));

  for (const [phone, shown] of [
    ["07700 900123", "+44 7700 900123"],
    ["112", "112"],
    ["+883 5100 0123 4567 890", "+883 5100 0123 4567 890"],
    ["٠٧٧٠٠٩٠٠١٢٣", "+44 7700 900123"],
  ] as const) {
    it(`leaves it to the homeserver whether ${phone} is a number, and shows ${shown}`, async () => {
      await open();
      await enter(phone);
      await codeAsked();
      expect(calls).to.deep.equal([["GB", phone, "secret", 1, "the-session"]]);
      expect(ui.text()).to.include(`sent to ${shown}.`);
    });
  }

  it("shows at the field that the homeserver rejects a number as invalid, with its reason", async () => {
    await open({}, () =>
      calls.length > 2
        ? Promise.resolve({ sid: "sid", submit_url: SUBMIT })
        : Promise.reject(refusal(400, { errcode: "M_INVALID_PARAM", error: "Too <b>short" })),
    );
    await enter("12");
    expect(ui.field("country").childElementCount).to.be.greaterThan(200);
    await ui.reads("isn’t a valid phone number for the selected country. Too <b>short");
    ui.part("submit")?.focus();
    await enter("13");
    await waitFor(() => calls.length > 1 && element.state === "awaiting-input");
    await element.updateComplete;
    expect(document.activeElement === ui.field("phone")).to.be.true;
    expect(ui.field("phone").value).to.equal("13");
    await enter("07700 900123");
    await codeAsked();
  });

  it("requests a code with the function of its call when the page sets another one for the next call", async () => {
    await open();
    await ui.numberAsked();
    element.requestPhoneToken = () => Promise.reject(new Error("the next request's"));
    await enter("07700 900123");
    await codeAsked();
    expect(calls).to.have.length(1);
  });

  it("submits the code to submit_url without a token, and then the credentials", async () => {
    const request = await open(NUMBER);
    await codeAsked();
    await ui.reads("+44 7700 900123");
    await ui.submit({ code: "999999" });
    expect(ui.text()).to.contain("Incorrect code.").and.not.to.contain("Incorrect code. no");
    await ui.submit({ code: "500500" });
    expect(ui.text()).to.contain("The homeserver rejected this request. Full disk");
    expect(request.sent).to.have.length(1);
    await ui.submit({ code: "123456" });
    await outcome;
    const submitted = server.to(SUBMIT)[2];
    expect(submitted?.body).to.equal('{"sid":"sid","client_secret":"secret","token":"123456"}');
    expect(submitted?.headers.has("Authorization")).to.be.false;
    expect(request.sent[1]).to.deep.equal({
      session: "the-session",
      type: Msisdn,
      threepid_creds: { sid: "sid", client_secret: "secret" },
    });
  });

  for (const [how, typed] of [
    ["with a space", "123 456"],
    ["with a hyphen", "123-456"],
    ["with a dash and spaces", "123 – 456"],
    ["with a dot", "123.456"],
    ["with no-break spaces", "\u00A0123\u202F456\u00A0"],
    ["with invisible characters", "\u200B123\u2060456\u200E"],
    ["with full-width digits", "１２３４５６"],
    ["with Arabic digits", "١٢٣٤٥٦"],
    ["with Persian digits", "۱۲۳-۴۵۶"],
    ["with Bengali digits", "১২৩ ৪৫৬"],
  ]) {
    for (const who of ["the user", "the page's own view"]) {
      it(`submits a code as digits if ${who} has ${how} it`, async () => {
        await open(NUMBER);
        await codeAsked();
        if (who === "the user") await ui.submit({ code: typed ?? "" });
        else await element.session?.submitPhoneCode(typed ?? "");
        await waitFor(() => server.to(SUBMIT).length > 0);
        expect(server.to(SUBMIT)[0]?.body).to.contain('"token":"123456"');
      });
    }
  }

  it("removes only invisible characters from a code of letters", async () => {
    await open(NUMBER);
    await codeAsked();
    await ui.submit({ code: " Ab-1\u200B2 c " });
    expect(server.to(SUBMIT)[0]?.body).to.contain('"token":"Ab-12 c"');
  });

  it("asks for the code again if only invisible characters were typed", async () => {
    await open(NUMBER);
    await codeAsked();
    await ui.submit({ code: "\u200B \u2060" });
    expect(ui.text()).to.contain("Fill in this field.");
    expect(server.log).to.deep.equal([]);
  });

  it("waits for the link when submit_url is empty", async () => {
    await open(NUMBER, async () => ({ sid: "s", submit_url: "" }));
    await ui.reads("Open the link in the message");
  });

  it("waits after a 429, shows it, and requests the code again automatically", async () => {
    await open({}, () =>
      calls.length > 2
        ? Promise.resolve({ sid: "sid", submit_url: SUBMIT })
        : Promise.reject(limit(30)),
    );
    const clock = new Clock();
    await enter("07700 900123");
    await ui.reads("Too many attempts");
    await clock.passUntil(codeAsked());
    // The attempt stays the same, because no request has succeeded.
    expect(calls.map(([, , , attempt]) => attempt)).to.deep.equal([1, 1, 1]);
    expect(ui.text()).not.to.contain("Too many attempts");
  });

  it("requests no code after cancel() during the wait after a 429", async () => {
    await open({}, () => Promise.reject(limit(1000)));
    const clock = new Clock();
    await enter("07700 900123");
    await ui.reads("Too many attempts");
    element.cancel();
    await outcome;
    await clock.pass(1500);
    expect(calls).to.have.length(1);
  });

  it("requests one code, and reports busy once, when requestPhoneToken() is called twice", async () => {
    const { passed, open: respond } = gate();
    await open({}, () => passed.then(() => ({ sid: "sid" })));
    const busy: boolean[] = [];
    element.addEventListener("uia-busy-changed", ({ detail }) => busy.push(detail.busy));
    const both = [1, 2].map(() => element.session?.requestPhoneToken("GB", "07700900123"));
    await waitFor(() => calls.length > 0);
    await untilQuiet();
    expect(busy).to.deep.equal([true]);
    respond();
    await Promise.all(both);
    expect(calls).to.have.length(1);
    expect(busy).to.deep.equal([true, false]);
  });

  for (const [what, respond, shown] of [
    ["asks for the code of a message", async () => ({ sid: "s", submit_url: SUBMIT }), "Code"],
    [
      "shows why a message was rejected",
      () => refusing(refusal(400, { errcode: "M_THREEPID_DENIED", error: "No such carrier." })),
      "No such carrier.",
    ],
  ] as const) {
    it(`${what} that was requested before the user tried another way and returned`, async () => {
      const { passed, open: release } = gate();
      await ui.make();
      const requestPhoneToken = (...call: unknown[]): Promise<never> => {
        calls.push(call);
        return passed.then(respond) as Promise<never>;
      };
      Object.assign(element, { ...NUMBER, requestPhoneToken });
      const flows = [{ stages: [Msisdn, Terms] }, { stages: [Password, Msisdn] }];
      const request = () => refusing(refusal(401, { session: "s", flows }));
      ui.follow(element.authenticate(request).catch(String));
      await waitFor(() => calls.length > 0);
      await element.session?.tryOtherWay();
      expect(element.session?.stage).to.equal(Password);
      await element.session?.tryOtherWay();
      release();
      await ui.reads(shown);
      expect(calls).to.have.length(1);
    });
  }

  it("reports validation_invalid when the response has no sid", async () => {
    await open(NUMBER, async () => ({ sid: "" }));
    await waitFor(() => element.session?.status.errcode === "validation_invalid");
    expect(ui.text()).to.contain("Something went wrong on");
  });

  for (const [what, choose] of [
    [
      "the chosen country",
      () => {
        ui.fill({ country: "DE" });
        ui.field("country").dispatchEvent(new Event("change", { bubbles: true }));
      },
    ],
    ["the country that nobody has touched", () => undefined],
  ] as const) {
    it(`keeps ${what} when the language changes, several times`, async () => {
      stub(navigator, "languages", { value: ["en"] });
      await open();
      await ui.numberAsked();
      choose();
      await element.updateComplete;
      const { value } = ui.field("country");
      for (const [language, name] of [
        ["de", "Deutschland"],
        ["ar", "ألمانيا"],
        ["en", "Germany"],
      ] as const) {
        document.documentElement.lang = language;
        await waitFor(() => ui.field("country").textContent.includes(name), name);
        expect([language, ui.field("country").value]).to.deep.equal([language, value]);
      }
    });
  }
});
