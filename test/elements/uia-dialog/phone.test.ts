import { aTimeout, expect } from "@open-wc/testing";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { Msisdn, element, endDialog, gate, outcome, refusing, ui } from "./fixture.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

describe("<uia-dialog> at m.login.msisdn", () => {
  afterEach(endDialog);

  const calls: unknown[][] = [];
  const posted: string[] = [];
  const { fetch } = window;
  let submitUrl: string | undefined;
  beforeEach(async () => {
    calls.length = posted.length = 0;
    submitUrl = "https://hs.example/submit";
    await ui.make();
    element.clientSecret = "secret";
    element.requestPhoneToken = (...asked) => {
      calls.push(asked);
      return Promise.resolve({ sid: "sid", submit_url: submitUrl });
    };
    window.fetch = async (input, init) => {
      const asked = new Request(input, init);
      if (!asked.url.startsWith("https://hs.example/")) return fetch(input, init);
      const body = await asked.text();
      posted.push(`${asked.url} ${asked.headers.get("Authorization") ?? "-"} ${body}`);
      return body.includes("123456")
        ? Response.json({ success: true })
        : Response.json({ errcode: "M_TOKEN_INCORRECT", error: "no" }, { status: 400 });
    };
  });
  afterEach(() => {
    window.fetch = fetch;
  });

  it("requests a code for a number that is valid in its country, and none for another", async () => {
    await ui.begin(protectedRequest([Msisdn]));
    await ui.numberAsked();
    expect(ui.field("country").childElementCount).to.be.greaterThan(200);
    ui.fill({ country: "GB" });
    await ui.submit({ phone: "12" });
    expect(calls).to.deep.equal([]);
    expect(ui.text()).to.contain("isn’t a valid phone number for the selected country");
    await ui.submit({ phone: "07700 900123" });
    expect(calls).to.deep.equal([["GB", "07700 900123", "secret", 1, "the-session"]]);
  });

  it("submits the code to submit_url without a token, and then the credentials", async () => {
    const request = protectedRequest([Msisdn]);
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    await ui.begin(request);
    await waitFor(() => element.querySelector("[name=code]"));
    await ui.submit({ code: "999999" });
    expect(ui.text()).to.contain("Incorrect code.");
    expect(request.sent).to.have.length(1);
    await ui.submit({ code: "123456" });
    await outcome;
    expect(posted[1]).to.equal(
      'https://hs.example/submit - {"sid":"sid","client_secret":"secret","token":"123456"}',
    );
    expect(request.sent[1]).to.deep.equal({
      session: "the-session",
      type: Msisdn,
      threepid_creds: { sid: "sid", client_secret: "secret" },
    });
  });

  it("waits after a 429, says so, and requests the code again by itself", async () => {
    element.requestPhoneToken = (...asked) => {
      calls.push(asked);
      return calls.length > 2
        ? Promise.resolve({ sid: "sid", submit_url: submitUrl })
        : Promise.reject(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 30 }));
    };
    await ui.begin(protectedRequest([Msisdn]));
    await ui.numberAsked();
    ui.fill({ country: "GB" });
    const shown = waitFor(() => ui.text().includes("Too many attempts"));
    await ui.submit({ phone: "07700 900123" });
    await shown;
    await waitFor(() => element.querySelector("[name=code]"));
    // The same attempt, for none was answered.
    expect(calls.map(([, , , attempt]) => attempt)).to.deep.equal([1, 1, 1]);
    expect(ui.text()).not.to.contain("Too many attempts");
  });

  it("requests one code when requestPhoneToken() is called twice", async () => {
    let asked = 0;
    let answer: (validation: { sid: string }) => void = () => undefined;
    element.requestPhoneToken = () => {
      asked += 1;
      return new Promise((resolve) => (answer = resolve));
    };
    await ui.begin(protectedRequest([Msisdn]));
    await ui.numberAsked();
    const { session } = element;
    const both = [1, 2].map(() => session?.requestPhoneToken("GB", "07700900123"));
    await waitFor(() => asked > 0);
    answer({ sid: "sid" });
    await Promise.all(both);
    expect(asked).to.equal(1);
  });

  it("requests no code after cancel()", async () => {
    let asked = 0;
    element.requestPhoneToken = () => {
      asked += 1;
      return Promise.reject(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1000 }));
    };
    await ui.begin(protectedRequest([Msisdn]));
    await ui.numberAsked();
    ui.fill({ country: "GB", phone: "07700 900123" });
    await ui.press("submit");
    await waitFor(() => ui.text().includes("Too many attempts"));
    element.cancel();
    await outcome.catch(() => undefined);
    await timeForMore(1500);
    expect(asked).to.equal(1);
  });

  it("polls until the link was followed when there is no submit_url", async () => {
    submitUrl = undefined;
    element.pollInterval = 20;
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    let followed = false;
    const request = protectedRequest(
      [Msisdn],
      {},
      {
        [Msisdn]: () => (followed ? undefined : { errcode: "M_UNAUTHORIZED", error: "no" }),
      },
    );
    await ui.begin(request);
    await waitFor(() => request.sent.length > 2, "nobody asks");
    expect(ui.text()).to.contain("Open the link");
    followed = true;
    expect(await outcome).to.deep.equal({ done: true });
  });

  it("sends no poll until retry_after_ms after a 429 has passed", async () => {
    submitUrl = undefined;
    element.pollInterval = 20;
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    const request = protectedRequest(
      [Msisdn],
      {},
      { [Msisdn]: () => ({ errcode: "M_UNAUTHORIZED", error: "no" }) },
    );
    await ui.begin(request);
    await waitFor(() => request.sent.length > 1, "nobody asks");
    request.failNext(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 60_000 }));
    const { length } = request.sent;
    await waitFor(() => request.sent.length > length, "nobody asks");
    await timeForMore(150);
    expect(request.sent).to.have.length(length + 1);
  });

  it("sends no code when submit_url is no web URL", async () => {
    submitUrl = "javascript:alert(1)";
    const request = protectedRequest([Msisdn]);
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    await ui.begin(request);
    await waitFor(() => element.querySelector("[name=code]"));
    await ui.submit({ code: "123456" });
    expect(posted).to.deep.equal([]);
    expect(request.sent).to.have.length(1);
    expect(element.open).to.be.true;
  });
});

describe("<uia-dialog> without a code", () => {
  afterEach(endDialog);

  it("shows the homeserver's reason when it refuses the number", async () => {
    await ui.make();
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    element.requestPhoneToken = () =>
      refusing(refusal(400, { errcode: "M_UNKNOWN", error: "No phones here" }));
    await ui.begin(protectedRequest([Msisdn]));
    await waitFor(() => ui.text().includes("No phones here"));
    expect(ui.text()).not.to.contain("Incorrect code");
  });

  it("reports validation_invalid when the response has no sid", async () => {
    await ui.make();
    element.requestPhoneToken = () => Promise.resolve({ sid: "" });
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    await ui.begin(protectedRequest([Msisdn]));
    await waitFor(() => element.session?.status.errcode !== undefined);
    expect(element.session?.status.errcode).to.equal("validation_invalid");
    expect(ui.text()).to.contain("Something went wrong on");
  });

  it("focuses the number again when it is still invalid", async () => {
    await ui.make();
    element.inputs = {};
    await ui.begin(protectedRequest([Msisdn]));
    await ui.numberAsked();
    ui.fill({ country: "GB" });
    await ui.submit({ phone: "12" });
    ui.part("submit")?.focus();
    await ui.submit({ phone: "13" });
    expect(document.activeElement === ui.field("phone")).to.be.true;
  });
});

describe("<uia-dialog> while a code is requested", () => {
  afterEach(endDialog);

  it("reports uia-busy-changed once before the code is requested and once after", async () => {
    await ui.make();
    const told: boolean[] = [];
    element.addEventListener("uia-busy-changed", ({ detail }) => told.push(detail.busy));
    const { passed, open } = gate();
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    element.requestPhoneToken = async () => {
      await passed;
      return { sid: "sid" };
    };
    ui.follow(element.authenticate(protectedRequest([Msisdn]).doRequest).catch(() => undefined));
    await waitFor(() => ui.dialog()?.open && element.state === "busy");
    await timeForMore();
    expect(told).to.deep.equal([true]);
    open();
    await ui.asked();
    expect(told).to.deep.equal([true, false]);
  });

  it("is not busy after cancel(), and reports nothing when the response comes", async () => {
    await ui.make();
    const told: boolean[] = [];
    const { passed, open } = gate();
    element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
    element.requestPhoneToken = async () => {
      await passed;
      return { sid: "sid" };
    };
    element.addEventListener("uia-busy-changed", ({ detail }) => told.push(detail.busy));
    ui.follow(element.authenticate(protectedRequest([Msisdn]).doRequest).catch(() => undefined));
    await waitFor(() => ui.dialog()?.open && told.at(-1));
    element.cancel();
    await outcome;
    expect(told.at(-1)).to.be.false;
    const { length } = told;
    open();
    await aTimeout(0);
    expect(told).to.have.length(length);
  });

  it("keeps the chosen country when the language changes", async () => {
    await ui.open([Msisdn]);
    await ui.numberAsked();
    ui.fill({ country: "DE" });
    ui.field("country").dispatchEvent(new Event("change", { bubbles: true }));
    document.documentElement.lang = "de";
    await waitFor(() => ui.field("country").textContent.includes("Deutschland"));
    expect(ui.field("country").value).to.equal("DE");
  });
});
