import { aTimeout, expect, fixture, html, oneEvent, waitUntil } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import "matrix-auth-elements/define";
import {
  AuthType,
  authClientContext,
  provideAuthClient,
  registerTranslation,
  uiaSessionContext,
  type AuthDict,
  type UiaCancelEvent,
  type UiaDialogElement,
  type UiaDoRequestEvent,
  type UiaErrorEvent,
  type UiaRequestEmailTokenEvent,
  type UiaSession,
  type UiaStateUpdatedEvent,
  type UiaSuccessEvent,
} from "matrix-auth-elements";
import {
  GOOD_PASSWORD,
  protectedRequest,
  refusal,
  type ProtectedRequest,
} from "./protected-request.js";

const { Password, Email, Msisdn, Terms, RegistrationToken, Dummy, Recaptcha, Sso, OAuth } =
  AuthType;
const PASSWORD_JUDGE = { [Password]: GOOD_PASSWORD };
const POLICIES = {
  [Terms]: {
    policies: {
      privacy: {
        version: "1",
        en: { name: "Privacy", url: "https://hs.example/privacy" },
        de: { name: "Datenschutz", url: "https://hs.example/datenschutz" },
      },
      terms: { version: "1", en: { name: "Terms", url: "https://hs.example/terms" } },
    },
  },
};

describe("<uia-dialog>", () => {
  let element: UiaDialogElement;

  const make = async (
    template = html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`,
  ): Promise<UiaDialogElement> => {
    element = await fixture<UiaDialogElement>(template);
    return element;
  };

  /** Begins, and waits until the person is asked; an outcome is dealt with by `outcome`. */
  let outcome: Promise<unknown>;
  const begin = async (request: ProtectedRequest): Promise<void> => {
    outcome = element.authenticate(request.doRequest).catch((error: unknown) => error);
    await asked();
  };
  const asked = (): Promise<void> =>
    waitUntil(() => element.state === "asking" && dialog()?.open, "the person is not asked");
  const inState = (state: string): Promise<void> =>
    waitUntil(() => element.state === state, `state ${element.state}, not ${state}`);

  const dialog = (): HTMLDialogElement | null | undefined =>
    element.shadowRoot?.querySelector("dialog");
  const field = (name: string): HTMLInputElement => {
    const found = element.querySelector<HTMLInputElement>(`[name=${name}]`);
    if (!found) throw new Error(`no field ${name}`);
    return found;
  };
  const part = (name: string): HTMLElement | null | undefined =>
    element.shadowRoot?.querySelector<HTMLElement>(`[part~=${name}]`);
  const press = async (name: string): Promise<void> => {
    part(name)?.click();
    await element.updateComplete;
  };
  const other = (label: string): HTMLButtonElement => {
    const buttons = [
      ...(element.shadowRoot?.querySelectorAll<HTMLButtonElement>(".others button") ?? []),
    ];
    const found = buttons.find(({ textContent }) => textContent?.trim() === label);
    if (!found) throw new Error(`no button ${label}`);
    return found;
  };
  const fill = (values: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(values)) field(name).value = value;
  };
  /** All that a person reads in the dialog. */
  const text = (): string =>
    `${dialog()?.innerText ?? ""} ${element.querySelector("form")?.innerText ?? ""}`
      .replace(/\s+/g, " ")
      .trim();
  const settledState = async (): Promise<void> => {
    await aTimeout(0);
    await waitUntil(() => element.state !== "working");
    await element.updateComplete;
  };
  const submit = async (values: Readonly<Record<string, string>> = {}): Promise<void> => {
    fill(values);
    await press("submit");
    await settledState();
  };

  afterEach(async () => {
    element.cancel();
    await aTimeout(0);
    document.documentElement.lang = "en";
  });

  describe("around a request", () => {
    it("stays closed where the request succeeds without a stage", async () => {
      await make();
      const events: string[] = [];
      for (const type of ["uia-state-updated", "uia-success", "uia-error"]) {
        element.addEventListener(type, () => events.push(type));
      }
      expect(await element.authenticate(() => Promise.resolve("fine"))).to.equal("fine");
      expect(events).to.deep.equal(["uia-success"]);
      expect(element.open).to.be.false;
      expect(element.result).to.equal("fine");
    });

    it("opens when a stage is asked for, and closes with the result: n + 1 requests for n stages", async () => {
      await make();
      const request = protectedRequest([Password, RegistrationToken, Dummy], {}, PASSWORD_JUDGE);
      await begin(request);
      expect(element.open).to.be.true;
      expect(element.matches("[open]:state(asking)")).to.be.true;
      await submit({ password: "right" });
      await submit({ token: "abc" });
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent).to.have.length(4);
      expect(element.open).to.be.false;
      expect(dialog()).to.equal(null);
      expect(element.querySelector("form")).to.equal(null);
    });

    it("shows the stage within one task of the answer", async () => {
      await make();
      await element.authenticate(() => Promise.resolve());
      let answer!: () => void;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      const request = protectedRequest([Password]);
      outcome = element
        .authenticate(async (auth, background) => {
          await answered;
          return request.doRequest(auth, background);
        })
        .catch(() => undefined);
      await aTimeout(10);
      expect(element.open).to.be.false;
      answer();
      await aTimeout(0);
      expect(dialog()?.open).to.be.true;
      expect(field("password")).to.equal(document.activeElement);
    });

    it("tells each stage, busy and success by events, and by properties", async () => {
      await make();
      const told: unknown[] = [];
      element.addEventListener("uia-state-updated", (event: UiaStateUpdatedEvent) => {
        told.push(event.detail.nextStage, event.bubbles);
        expect(element.session?.stage).to.equal(event.detail.nextStage);
      });
      element.addEventListener("uia-busy-changed", ({ detail }) => told.push(detail.busy));
      const success = oneEvent(document, "uia-success") as Promise<UiaSuccessEvent>;
      await begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
      expect(element.getSessionId()).to.equal("the-session");
      await submit({ password: "right" });
      expect((await success).detail.result).to.deep.equal({ done: true });
      expect(told).to.deep.equal([true, Password, false, false, true, false]);
    });

    it("gives one promise to everybody while it goes on", async () => {
      await make();
      const request = protectedRequest([Password]);
      element.doRequest = request.doRequest;
      const first = element.attemptAuth();
      expect(element.attemptAuth()).to.equal(first);
      first.catch(() => undefined);
      await asked();
      expect(request.sent).to.deep.equal([null]);
    });

    it("carries out one operation after the other", async () => {
      await make();
      const [first, second] = [protectedRequest([Password]), protectedRequest([Password])];
      const both = [first, second].map(({ doRequest }) => element.authenticate(doRequest));
      await asked();
      expect(second.sent).to.deep.equal([]);
      await submit({ password: "right" });
      await asked();
      expect(second.sent).to.deep.equal([null]);
      await submit({ password: "right" });
      await Promise.all(both);
    });

    it("rejects with what the request is rejected with, and says its code", async () => {
      await make();
      const told = oneEvent(document, "uia-error") as Promise<UiaErrorEvent>;
      const error = Object.assign(refusal(400, {}), { errcode: "M_WEAK_PASSWORD" });
      const caught = await element
        .authenticate(() => Promise.reject(error))
        .catch((thrown: unknown) => thrown);
      expect(caught).to.equal(error);
      expect((await told).detail).to.deep.equal({ error, code: "M_WEAK_PASSWORD" });
      expect(element.error).to.equal(error);
    });

    it("closes and rejects where the homeserver ends it in the middle", async () => {
      await make();
      const request = protectedRequest([Password]);
      await begin(request);
      request.failNext(refusal(400, { errcode: "M_WEAK_PASSWORD", error: "weak" }));
      await submit({ password: "x" });
      expect(await outcome).to.have.property("httpStatus", 400);
      expect(element.open).to.be.false;
    });

    it("is what any bootstrapCrossSigning wants, as it is", async () => {
      await make();
      const { authUploadDeviceSigningKeys } = element;
      const request = protectedRequest([Password]);
      const uploading = authUploadDeviceSigningKeys(async (auth) => {
        await request.doRequest(auth, false);
      });
      await asked();
      await submit({ password: "right" });
      await uploading;
      expect(request.sent).to.have.length(2);
    });

    it("begins with `open`, and ends with it", async () => {
      await make();
      const request = protectedRequest([Password]);
      element.doRequest = request.doRequest;
      element.open = true;
      await asked();
      const cancelled = oneEvent(element, "uia-cancel");
      element.open = false;
      await cancelled;
      await inState("idle");
      expect(dialog()).to.equal(null);
    });

    it("takes properties that were set before it was defined", async () => {
      const early = document.createElement("late-dialog") as UiaDialogElement;
      const request = protectedRequest([Password]);
      early.doRequest = request.doRequest;
      document.body.append(early);
      const { UiaDialogElement: Class } = await import("matrix-auth-elements");
      Class.define("late-dialog");
      element = early;
      early.attemptAuth().catch(() => undefined);
      await asked();
      expect(request.sent).to.deep.equal([null]);
      early.cancel();
      await inState("idle");
      early.remove();
    });
  });

  describe("for pages that listen", () => {
    it("asks for each request by an event", async () => {
      await make();
      const request = protectedRequest([Password], {}, PASSWORD_JUDGE);
      element.addEventListener("uia-do-request", (event: UiaDoRequestEvent) => {
        const { authData, background } = event.detail;
        event.respondWith(request.doRequest(authData, background));
      });
      outcome = element.attemptAuth();
      await asked();
      await submit({ password: "right" });
      expect(await outcome).to.deep.equal({ done: true });
    });

    it("says so where nobody answers", async () => {
      await make();
      const error = await element.attemptAuth().catch((thrown: unknown) => thrown);
      expect(error).to.have.property("code", "no_handler");
    });

    it("takes one answer, and only while the event is told", async () => {
      await make();
      let late!: UiaDoRequestEvent;
      const errors: string[] = [];
      element.addEventListener("uia-do-request", (event: UiaDoRequestEvent) => {
        late = event;
        event.respondWith("first");
        try {
          event.respondWith("second");
        } catch (error) {
          errors.push((error as DOMException).name);
        }
      });
      expect(await element.attemptAuth()).to.equal("first");
      expect(() => late.respondWith("late")).to.throw(DOMException);
      expect(errors).to.deep.equal(["InvalidStateError"]);
    });

    it("has a message sent by an event", async () => {
      await make();
      const asks: unknown[] = [];
      element.addEventListener("uia-request-email-token", (event: UiaRequestEmailTokenEvent) => {
        asks.push(event.detail);
        event.respondWith({ sid: "sid" });
      });
      element.clientSecret = "secret";
      await begin(protectedRequest([Email]));
      await submit({ email: "alice@example.org" });
      expect(asks).to.deep.equal([
        { email: "alice@example.org", secret: "secret", attempt: 1, session: "the-session" },
      ]);
    });
  });

  describe("called off", () => {
    const cancelEvent = (): Promise<UiaCancelEvent> =>
      oneEvent(document, "uia-cancel") as Promise<UiaCancelEvent>;

    it("by Escape", async () => {
      await make();
      await begin(protectedRequest([Password]));
      const told = cancelEvent();
      await sendKeys({ press: "Escape" });
      expect((await told).detail.reason).to.equal("dismissed");
      expect(await outcome).to.have.property("code", "cancelled");
      expect(element.open).to.be.false;
      expect(element.state).to.equal("idle");
    });

    it("by its button, and by the page with a reason", async () => {
      await make();
      await begin(protectedRequest([Password]));
      await press("cancel");
      expect(await outcome).to.have.property("code", "cancelled");
      await begin(protectedRequest([Password]));
      const told = cancelEvent();
      element.cancel("changed my mind");
      expect((await told).detail.reason).to.equal("changed my mind");
      expect(await outcome).to.have.property("cause", "changed my mind");
    });

    it("stays open where a listener objects, however often Escape is pressed, and keeps what was typed", async () => {
      await make();
      const object = (event: Event): void => event.preventDefault();
      element.addEventListener("uia-cancel", object);
      await begin(protectedRequest([RegistrationToken]));
      field("token").value = "half a tok";
      for (let times = 0; times < 3; times += 1) {
        await sendKeys({ press: "Escape" });
        await aTimeout(30);
      }
      await element.updateComplete;
      expect(dialog()?.open).to.be.true;
      expect(element.open).to.be.true;
      expect(field("token").value).to.equal("half a tok");
      element.removeEventListener("uia-cancel", object);
    });

    it("ends when it leaves the document, not when it is moved", async () => {
      await make();
      await begin(protectedRequest([Password]));
      const place = document.createElement("div");
      document.body.append(place);
      place.append(element);
      await aTimeout(10);
      expect(element.state).to.equal("asking");
      await waitUntil(() => dialog()?.matches(":modal"), "no longer modal");
      place.remove();
      expect(await outcome).to.have.property("code", "cancelled");
    });

    it("says that nobody can be asked where it is not in the document", async () => {
      await make();
      element.remove();
      const request = protectedRequest([Password]);
      const error = await element
        .authenticate(request.doRequest)
        .catch((thrown: unknown) => thrown);
      expect(error).to.have.property("code", "not_connected");
    });

    it("while it is still loading", async () => {
      await make();
      const attempt = element
        .authenticate(() => Promise.resolve(1))
        .catch((thrown: unknown) => thrown);
      element.cancel();
      expect(await attempt).to.have.property("code", "cancelled");
    });
  });

  describe("asking for a password", () => {
    it("has it in light DOM, where password managers find it with the user", async () => {
      await make();
      await begin(protectedRequest([Password]));
      expect(field("username").value).to.equal("@alice:hs.example");
      expect(field("username").autocomplete).to.equal("username");
      expect(field("password").autocomplete).to.equal("current-password");
      expect(field("password").form).to.equal(field("username").form);
      expect(field("password").getRootNode()).to.equal(document);
      expect(document.activeElement).to.equal(field("password"));
    });

    it("submits it by Enter, for the user", async () => {
      await make();
      const request = protectedRequest([Password], {}, PASSWORD_JUDGE);
      await begin(request);
      await sendKeys({ type: "right" });
      await sendKeys({ press: "Enter" });
      await outcome;
      expect(request.sent[1]).to.deep.equal({
        session: "the-session",
        type: Password,
        identifier: { type: "m.id.user", user: "@alice:hs.example" },
        password: "right",
      });
    });

    it("keeps the dialog on a wrong one, says so at its field, and empties it", async () => {
      await make();
      await begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
      await submit({ password: "wrong" });
      const { value, ariaInvalid } = field("password");
      expect([value, ariaInvalid]).to.deep.equal(["", "true"]);
      const error = document.getElementById(
        field("password").getAttribute("aria-describedby") ?? "",
      );
      expect(error?.textContent?.trim()).to.equal("This password is not right.");
      expect(error?.getAttribute("role")).to.equal("alert");
      expect(document.activeElement).to.equal(field("password"));
      await submit({ password: "right" });
      expect(await outcome).to.deep.equal({ done: true });
    });

    it("asks whose it is where nobody knows", async () => {
      await make(html`<uia-dialog></uia-dialog>`);
      const request = protectedRequest([Password]);
      await begin(request);
      expect(field("username").readOnly).to.be.false;
      await submit({ username: "bob", password: "right" });
      expect(request.sent[1]).to.have.nested.property("identifier.user", "bob");
    });

    it("asks the client whose it is, by either kind of client", async () => {
      await make(html`<uia-dialog></uia-dialog>`);
      element.client = { whoami: () => Promise.resolve({ user_id: "@carol:hs.example" }) };
      await begin(protectedRequest([Password]));
      await waitUntil(() => field("username").value === "@carol:hs.example");
      await press("cancel");
      element.client = { getUserId: () => "@dave:hs.example" };
      await begin(protectedRequest([Password]));
      expect(field("username").value).to.equal("@dave:hs.example");
    });

    it("shows nobody the password: in no attribute, event or session", async () => {
      await make();
      await begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
      await submit({ password: "a-secret" });
      expect(element.outerHTML + (element.shadowRoot?.innerHTML ?? "")).not.to.contain("a-secret");
      expect(JSON.stringify(element.session)).not.to.contain("a-secret");
    });
  });

  describe("asking for an e-mail address", () => {
    const calls: unknown[][] = [];
    let fails: unknown;
    beforeEach(async () => {
      calls.length = 0;
      fails = undefined;
      await make();
      element.clientSecret = "secret";
      element.requestEmailToken = (...asked): Promise<{ sid: string }> => {
        calls.push(asked);
        return fails ? Promise.reject(fails as Error) : Promise.resolve({ sid: "sid" });
      };
    });
    const clicked = {
      [Email]: ({ threepid_creds }: AuthDict) =>
        links.has((threepid_creds as { sid: string }).sid)
          ? undefined
          : { errcode: "M_UNAUTHORIZED", error: "no" },
    };
    const links = new Set<string>();
    beforeEach(() => links.clear());

    it("sends the message when the stage comes up, where the address is known", async () => {
      element.inputs = { emailAddress: "a@example.org" };
      await begin(protectedRequest([Password, Email], {}, { ...PASSWORD_JUDGE, ...clicked }));
      expect(calls).to.deep.equal([]);
      await submit({ password: "right" });
      await waitUntil(() => text().includes("was sent to a@example.org"));
      expect(calls).to.deep.equal([["a@example.org", "secret", 1, "the-session"]]);
    });

    it("asks for the address where it is not, and goes on by itself once the link is followed", async () => {
      element.pollInterval = 20;
      const request = protectedRequest([Email], {}, clicked);
      await begin(request);
      expect(field("email").autocomplete).to.equal("email");
      await submit({ email: "b@example.org" });
      expect(text()).to.contain("was sent to b@example.org");
      await waitUntil(() => request.sent.length > 2, "nobody asks");
      expect(element.state).to.equal("asking");
      expect(text()).not.to.contain("did not accept");
      links.add("sid");
      expect(await outcome).to.deep.equal({ done: true });
      const asked = request.sent.length;
      await aTimeout(60);
      expect(request.sent).to.have.length(asked);
    });

    it("says that it is not finished where the person says so too early", async () => {
      await begin(protectedRequest([Email], {}, clicked));
      await submit({ email: "b@example.org" });
      await submit();
      expect(text()).to.contain("has not seen this step finished yet");
      links.add("sid");
      await submit();
      expect(await outcome).to.deep.equal({ done: true });
    });

    it("keeps the address, and says what is wrong with it", async () => {
      fails = refusal(400, { errcode: "M_THREEPID_IN_USE", error: "in use" });
      await begin(protectedRequest([Email]));
      await submit({ email: "taken@example.org" });
      expect(field("email").value).to.equal("taken@example.org");
      expect(field("email").ariaInvalid).to.equal("true");
      expect(text()).to.contain("Another account uses this already.");
      fails = undefined;
      await submit({ email: "free@example.org" });
      expect(text()).to.contain("was sent to free@example.org");
    });

    it("does not ask anybody without an address that could be one", async () => {
      await begin(protectedRequest([Email]));
      await submit({ email: "no address" });
      expect(field("email").validity.valid).to.be.false;
      expect(calls).to.deep.equal([]);
    });

    it("lets the person change the address, with another attempt", async () => {
      await begin(protectedRequest([Email]));
      await submit({ email: "b@example.org" });
      expect(other("Send again").ariaDisabled).to.equal("true");
      other("Change address").click();
      await element.updateComplete;
      expect(field("email").value).to.equal("b@example.org");
      await submit({ email: "c@example.org" });
      expect(calls.map(([email, , attempt]) => [email, attempt])).to.deep.equal([
        ["b@example.org", 1],
        ["c@example.org", 2],
      ]);
      expect(text()).to.contain("was sent to c@example.org");
    });

    it("survives that the message could not be sent", async () => {
      element.inputs = { emailAddress: "a@example.org" };
      fails = new TypeError("Failed to fetch");
      await begin(protectedRequest([Email]));
      await waitUntil(() => field("email").ariaInvalid === "true");
      expect(field("email").value).to.equal("a@example.org");
      fails = undefined;
      await submit();
      expect(text()).to.contain("was sent to a@example.org");
    });
  });

  describe("asking for a phone number", () => {
    const calls: unknown[][] = [];
    const posted: string[] = [];
    const { fetch } = window;
    let submitUrl: string | undefined;
    beforeEach(async () => {
      calls.length = posted.length = 0;
      submitUrl = "https://hs.example/submit";
      await make();
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
    const askedForNumber = (): Promise<void> =>
      waitUntil(() => element.querySelector("[name=phone]"), "no field", { timeout: 8000 });

    it("checks the number for its country before anybody is asked, then sends it", async () => {
      await begin(protectedRequest([Msisdn]));
      await askedForNumber();
      expect(field("country").childElementCount).to.be.greaterThan(200);
      fill({ country: "GB" });
      await submit({ phone: "12" });
      expect(calls).to.deep.equal([]);
      expect(text()).to.contain("not a phone number of the chosen country");
      await submit({ phone: "07700 900123" });
      expect(calls).to.deep.equal([["GB", "07700 900123", "secret", 1, "the-session"]]);
    });

    it("submits the code where the homeserver says, without a token, and then the proof", async () => {
      const request = protectedRequest([Msisdn]);
      element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
      await begin(request);
      await waitUntil(() => element.querySelector("[name=code]"));
      expect(field("code").getAttribute("autocomplete")).to.equal("one-time-code");
      await submit({ code: "999999" });
      expect(text()).to.contain("This code is not right.");
      expect(request.sent).to.have.length(1);
      await submit({ code: "123456" });
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

    it("waits where too many codes were asked for, says so, and has one sent by itself", async () => {
      element.requestPhoneToken = (...asked) => {
        calls.push(asked);
        return calls.length > 2
          ? Promise.resolve({ sid: "sid", submit_url: submitUrl })
          : Promise.reject(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 30 }));
      };
      await begin(protectedRequest([Msisdn]));
      await askedForNumber();
      fill({ country: "GB" });
      const shown = waitUntil(() => text().includes("Too many tries"));
      await submit({ phone: "07700 900123" });
      await shown;
      await waitUntil(() => element.querySelector("[name=code]"));
      // The same attempt, for none was answered.
      expect(calls.map(([, , , attempt]) => attempt)).to.deep.equal([1, 1, 1]);
      expect(text()).not.to.contain("Too many tries");
    });

    it("has one message sent at a time, however often one is asked for", async () => {
      let asked = 0;
      let answer: (validation: { sid: string }) => void = () => undefined;
      element.requestPhoneToken = () => {
        asked += 1;
        return new Promise((resolve) => (answer = resolve));
      };
      await begin(protectedRequest([Msisdn]));
      await askedForNumber();
      const { session } = element;
      const both = [1, 2].map(() => session?.requestPhoneToken("GB", "07700900123"));
      await waitUntil(() => asked > 0);
      answer({ sid: "sid" });
      await Promise.all(both);
      expect(asked).to.equal(1);
    });

    it("asks for no more codes once it was called off", async () => {
      let asked = 0;
      element.requestPhoneToken = () => {
        asked += 1;
        return Promise.reject(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1000 }));
      };
      await begin(protectedRequest([Msisdn]));
      await askedForNumber();
      fill({ country: "GB", phone: "07700 900123" });
      await press("submit");
      await waitUntil(() => text().includes("Too many tries"));
      element.cancel();
      await outcome.catch(() => undefined);
      await aTimeout(1500);
      expect(asked).to.equal(1);
    });

    it("waits for a link where there is no code", async () => {
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
      await begin(request);
      await waitUntil(() => request.sent.length > 2, "nobody asks");
      expect(text()).to.contain("Open the link");
      followed = true;
      expect(await outcome).to.deep.equal({ done: true });
    });

    it("sends no code to an address that is none", async () => {
      submitUrl = "javascript:alert(1)";
      const request = protectedRequest([Msisdn]);
      element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
      await begin(request);
      await waitUntil(() => element.querySelector("[name=code]"));
      await submit({ code: "123456" });
      expect(posted).to.deep.equal([]);
      expect(request.sent).to.have.length(1);
      expect(element.open).to.be.true;
    });
  });

  describe("asking for a registration token", () => {
    const judge = {
      [RegistrationToken]: ({ token }: AuthDict) =>
        token === "good" ? undefined : { errcode: "M_UNAUTHORIZED", error: "Invalid token" },
    };

    it("submits it, and says where it is not accepted", async () => {
      await make();
      const request = protectedRequest([RegistrationToken], {}, judge);
      await begin(request);
      await submit({ token: "bad" });
      expect(field("token").value).to.equal("bad");
      expect(text()).to.contain("This token is not accepted.");
      await submit({ token: " good " });
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent[2]).to.deep.equal({
        session: "the-session",
        type: RegistrationToken,
        token: "good",
      });
    });

    it("submits one that is known by itself, once, under the name that the homeserver uses", async () => {
      await make();
      element.inputs = { registrationToken: "good" };
      const unstable = AuthType.UnstableRegistrationToken;
      const request = protectedRequest([unstable]);
      await element.authenticate(request.doRequest);
      expect(request.sent[1]).to.have.property("type", unstable);
      element.inputs = { registrationToken: "known but bad" };
      const refused = protectedRequest([RegistrationToken], {}, judge);
      await begin(refused);
      await waitUntil(() => field("token").ariaInvalid === "true");
      expect(field("token").value).to.equal("known but bad");
      expect(refused.sent).to.have.length(2);
    });
  });

  describe("asking to accept terms", () => {
    const links = (): readonly string[] =>
      [...element.querySelectorAll("form a")].map((link) => (link as HTMLAnchorElement).href);

    it("has a box and a link for each policy, and accepts when every box is ticked", async () => {
      await make();
      const request = protectedRequest([Terms], POLICIES);
      await begin(request);
      expect(links()).to.deep.equal(["https://hs.example/privacy", "https://hs.example/terms"]);
      const boxes = [...element.querySelectorAll<HTMLInputElement>("[type=checkbox]")];
      expect(boxes.map(({ checked }) => checked)).to.deep.equal([false, false]);
      boxes[0]?.click();
      await submit();
      expect(request.sent).to.have.length(1);
      boxes[1]?.click();
      await submit();
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent[1]).to.deep.equal({ session: "the-session", type: Terms });
    });

    it("shows each policy in the page's language, where there is one", async () => {
      document.documentElement.lang = "de-AT";
      await make();
      await begin(protectedRequest([Terms], POLICIES));
      expect(links()).to.deep.equal(["https://hs.example/datenschutz", "https://hs.example/terms"]);
    });

    it("finds a policy's language by what the page's is a form of, however it is written", async () => {
      document.documentElement.lang = "zh-Hant-HK";
      await make();
      const name = "P";
      const policy = {
        version: "1",
        en: { name, url: "https://hs.example/en" },
        zh: { name, url: "https://hs.example/zh" },
        zh_Hant: { name, url: "https://hs.example/hant" },
      };
      await begin(protectedRequest([Terms], { [Terms]: { policies: { policy } } }));
      expect(links()).to.deep.equal(["https://hs.example/hant"]);
    });

    for (const [what, params] of Object.entries({
      "a script for an address": {
        policies: { p: { en: { name: "P", url: "javascript:alert(1)" } } },
      },
      "no policies": { policies: {} },
      "no list of them": { policies: [null, 5, "x"] },
      nothing: undefined,
      "thousands of them": {
        policies: Object.fromEntries(
          Array.from({ length: 2000 }, (_, i) => [
            i,
            { en: { name: "P", url: "https://x.example" } },
          ]),
        ),
      },
    })) {
      it(`lets nobody accept ${what}`, async () => {
        await make();
        await begin(protectedRequest([Terms], { [Terms]: params }));
        expect(element.querySelector("form")).to.equal(null);
        expect(part("submit")).to.equal(null);
        expect(text()).to.contain("can’t be read");
      });
    }

    it("shows names as text, however they are written", async () => {
      await make();
      const name = "<img src=x onerror=alert(1)> \u202Eevil";
      await begin(
        protectedRequest([Terms], {
          [Terms]: { policies: { __proto__: null, p: { en: { name, url: "https://x.example" } } } },
        }),
      );
      expect(element.querySelector("form img")).to.equal(null);
      expect(element.querySelector("form bdi")?.textContent).to.equal(name);
    });
  });

  describe("asking for a captcha", () => {
    const params = { [Recaptcha]: { public_key: "the-key" } };

    it("puts it into light DOM by the page's script, and submits the response", async () => {
      await make();
      let respond!: (response: string) => void;
      let rendered: unknown[] = [];
      element.loadCaptcha = () =>
        Promise.resolve({
          render(container, { sitekey, callback }) {
            rendered = [sitekey, container.getRootNode()];
            respond = callback;
          },
        });
      const request = protectedRequest([Recaptcha], params);
      await begin(request);
      await waitUntil(() => rendered.length > 0);
      expect(rendered).to.deep.equal(["the-key", document]);
      respond("human");
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent[1]).to.have.property("response", "human");
    });

    it("begins it anew where the response was not accepted", async () => {
      await make();
      let respond!: (response: string) => void;
      const resets: unknown[] = [];
      element.loadCaptcha = () =>
        Promise.resolve({
          render(_container, { callback }) {
            respond = callback;
            return 7;
          },
          reset: (widget) => void resets.push(widget),
        });
      await begin(
        protectedRequest([Recaptcha], params, {
          [Recaptcha]: () => ({ errcode: "M_UNAUTHORIZED", error: "no" }),
        }),
      );
      await waitUntil(() => respond !== undefined);
      respond("robot");
      await waitUntil(() => resets.length > 0);
      expect(resets).to.deep.equal([7]);
      expect(text()).to.contain("did not accept this");
    });

    for (const [room, size] of Object.entries({ "60rem": "normal", "18rem": "compact" })) {
      it(`takes its ${size} size where there is room of ${room}`, async () => {
        await make();
        element.style.setProperty("--uia-inline-size", room);
        let asked: unknown;
        element.loadCaptcha = () =>
          Promise.resolve({ render: (_container, parameters) => (asked = parameters.size) });
        await begin(protectedRequest([Recaptcha], params));
        await waitUntil(() => asked);
        expect(asked).to.equal(size);
      });
    }

    for (const [what, load] of Object.entries({
      "cannot be loaded": () => Promise.reject(new Error("blocked")),
      "is not there": undefined,
    })) {
      it(`leaves it to the homeserver's page where the script ${what}`, async () => {
        await make();
        element.client = { baseUrl: "https://hs.example" };
        element.loadCaptcha = load;
        await begin(protectedRequest([Recaptcha], params));
        await waitUntil(() => element.shadowRoot?.querySelector("uia-fallback-frame"));
      });
    }
  });

  describe("for stages on other pages", () => {
    const frame = (): HTMLElement | null | undefined =>
      element.shadowRoot?.querySelector<HTMLElement>("uia-fallback-frame");

    it("leaves what it does not know to the homeserver's page", async () => {
      await make();
      await begin(protectedRequest(["org.example.unknown"]));
      expect(frame()).to.exist;
    });

    it("leaves what the page does not want here to the homeserver's page", async () => {
      await make();
      element.supportedStages = [Terms];
      await begin(protectedRequest([Password]));
      expect(frame()).to.exist;
      expect(element.querySelector("form")).to.equal(null);
    });

    for (const ways of [
      [Password, Sso],
      [Sso, Password],
    ]) {
      it(`needs no page where there is another way, whichever comes first: ${ways[0]}`, async () => {
        await make();
        const data = { session: "s", flows: ways.map((stage) => ({ stages: [stage] })) };
        outcome = element
          .authenticate(() => Promise.reject(refusal(401, data)))
          .catch((error: unknown) => error);
        await asked();
        expect(frame()).to.equal(null);
        expect(field("password")).to.exist;
      });
    }

    it("goes on by itself when the page says that it is finished", async () => {
      await make();
      element.client = { getFallbackAuthUrl: () => `${location.origin}/fallback` };
      const { open } = window;
      const opened: unknown[] = [];
      const inner = await fixture<HTMLIFrameElement>(html`<iframe></iframe>`);
      const popup = inner.contentWindow;
      if (!popup) throw new Error("no window");
      window.open = (url): Window => {
        opened.push(url);
        return popup;
      };
      const request = protectedRequest([Sso]);
      await begin(request);
      await waitUntil(() => frame()?.shadowRoot?.querySelector("[part=open]"));
      frame()?.shadowRoot?.querySelector<HTMLElement>("[part=open]")?.click();
      window.open = open;
      expect(opened).to.deep.equal([`${location.origin}/fallback`]);
      request.complete(Sso);
      window.dispatchEvent(
        new MessageEvent("message", { data: "authDone", origin: location.origin, source: popup }),
      );
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent).to.deep.equal([null, { session: "the-session" }]);
    });

    it("approves m.oauth on the page that the homeserver names, in either form of the answer", async () => {
      await make();
      const request = protectedRequest([OAuth], {
        [OAuth]: { url: "https://account.example/?action=reset" },
      });
      await begin(request);
      await waitUntil(() => frame()?.shadowRoot?.querySelector("[part=open]"));
      element.dispatchEvent(new Event("focus"));
      await element.session?.finish();
      await outcome;
      expect(request.sent).to.deep.equal([
        null,
        { session: "the-session" },
        { session: "the-session", type: OAuth },
      ]);
    });
  });

  describe("in a page of its own mind", () => {
    it("lets the page show a stage, with the session from the context", async () => {
      await make(html`
        <uia-dialog user-id="@alice:hs.example">
          <form slot="m.login.password"><input name="mine" /></form>
        </uia-dialog>
      `);
      const request = protectedRequest([Password]);
      await begin(request);
      expect(element.querySelector("[name=password]")).to.equal(null);
      expect(document.activeElement).to.equal(field("mine"));
      let session: UiaSession | undefined;
      const event = Object.assign(new Event("context-request", { bubbles: true, composed: true }), {
        context: uiaSessionContext,
        callback: (value: UiaSession) => (session = value),
        subscribe: true,
      });
      field("mine").dispatchEvent(event);
      expect(session?.stage).to.equal(Password);
      await session?.submit({ type: Password, password: "by hand" });
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent[1]).to.have.property("password", "by hand");
    });

    it("takes the client from the context", async () => {
      const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
      provideAuthClient(place, { getUserId: () => "@erin:hs.example" });
      element = place.querySelector("uia-dialog") as UiaDialogElement;
      await begin(protectedRequest([Password]));
      expect(field("username").value).to.equal("@erin:hs.example");
    });

    it("says the heading and the reason in the page's words, and the step", async () => {
      await make(html`
        <uia-dialog user-id="@a:b" heading="Really?">
          <p slot="description">This deletes everything.</p>
        </uia-dialog>
      `);
      await begin(protectedRequest([Terms, Password, Dummy], POLICIES));
      expect(text()).to.match(/^Step 1 of 2 Really\? .*/);
      const description = element.shadowRoot?.querySelector<HTMLSlotElement>("[name=description]");
      expect(description?.assignedElements()[0]?.textContent).to.equal("This deletes everything.");
    });

    it("takes further buttons, and other words for an error", async () => {
      await make(html`
        <uia-dialog>
          <button slot="actions">Help</button>
          <span slot="error-X_ODD">As odd as can be.</span>
        </uia-dialog>
      `);
      const odd = { errcode: "X_ODD", error: "odd" };
      await begin(protectedRequest([Terms], POLICIES, { [Terms]: () => odd }));
      for (const box of element.querySelectorAll<HTMLInputElement>("[type=checkbox]")) box.click();
      await submit();
      const assigned = [...(element.shadowRoot?.querySelectorAll("slot") ?? [])]
        .flatMap((slot) => slot.assignedElements())
        .map(({ textContent }) => textContent);
      expect(assigned).to.include("Help").and.to.include("As odd as can be.");
    });

    it("speaks the page's language, and changes with it", async () => {
      registerTranslation({ $code: "eo", uiaHeading: "Konfirmu", uiaPassword: "Pasvorto" });
      await make();
      await begin(protectedRequest([Password]));
      document.documentElement.lang = "eo";
      await waitUntil(() => text().includes("Konfirmu"));
      expect(text()).to.contain("Pasvorto").and.to.contain("Enter your password");
    });
  });

  describe("when a server is out of reach", () => {
    it("keeps what was done and typed, and tries again when the person says so", async () => {
      await make();
      const request = protectedRequest([Password, RegistrationToken], {}, PASSWORD_JUDGE);
      await begin(request);
      await submit({ password: "right" });
      request.failNext(new TypeError("Failed to fetch"));
      await submit({ token: "typed" });
      expect(element.state).to.equal("failed");
      expect(element.shadowRoot?.activeElement).to.equal(part("submit"));
      expect(text()).to.contain("can’t be reached");
      await press("submit");
      await asked();
      await element.updateComplete;
      expect(field("token").value).to.equal("typed");
      await submit();
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent.filter((auth) => auth?.type === Password)).to.have.length(1);
    });

    it("rejects with the reason where the person gives up", async () => {
      await make();
      const request = protectedRequest([RegistrationToken]);
      await begin(request);
      const error = refusal(503, {});
      request.failNext(error);
      await submit({ token: "typed" });
      expect(text()).to.contain("has a problem");
      await press("cancel");
      expect(await outcome).to.include({ code: "cancelled", cause: error });
    });

    it("says how long it waits where there were too many tries, and goes on by itself", async () => {
      await make();
      const request = protectedRequest([RegistrationToken]);
      await begin(request);
      request.failNext(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 400 }));
      fill({ token: "typed" });
      await press("submit");
      await waitUntil(() => text().includes("continues by itself in 1 second"));
      expect(await outcome).to.deep.equal({ done: true });
      expect(request.sent[2]).to.deep.equal(request.sent[1]);
    });
  });

  it("shows what the homeserver says as text", async () => {
    await make();
    const error = "<b>no</b> \u202Eon";
    await begin(
      protectedRequest([Terms], POLICIES, { [Terms]: () => ({ errcode: "X_ODD", error }) }),
    );
    for (const box of element.querySelectorAll<HTMLInputElement>("[type=checkbox]")) box.click();
    await submit();
    expect(part("error")?.querySelector("b")).to.equal(null);
    expect(part("error")?.querySelector("bdi")?.textContent).to.equal(error);
    expect(part("error")?.textContent).to.contain("did not accept this. <b>no");
  });

  it("keeps its submissions to itself, inside a form of the page", async () => {
    const submitted: Event[] = [];
    const form = await fixture<HTMLFormElement>(html`
      <form @submit=${(event: Event) => submitted.push(event)}>
        <uia-dialog user-id="@alice:hs.example"></uia-dialog>
      </form>
    `);
    element = form.querySelector("uia-dialog") as UiaDialogElement;
    await begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
    await submit({ password: "right" });
    expect(await outcome).to.deep.equal({ done: true });
    expect(submitted).to.deep.equal([]);
  });

  it("takes whatever a page calls its language, and whatever a framework sets", async () => {
    document.documentElement.lang = "no_such language!";
    await make();
    Object.assign(element, { pollInterval: undefined, inputs: null, supportedStages: undefined });
    await begin(protectedRequest([Msisdn, Password]));
    expect(text()).to.contain("Step 1 of 2");
    await waitUntil(() => element.querySelector("[name=phone]"), "no field", { timeout: 8000 });
  });

  it("asks no more while the page is hidden, and at once when it is back", async () => {
    await make();
    element.pollInterval = 30;
    element.emailSid = "sid";
    const request = protectedRequest(
      [Email],
      {},
      {
        [Email]: () => ({ errcode: "M_UNAUTHORIZED", error: "no" }),
      },
    );
    let hidden = true;
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    await begin(request);
    await aTimeout(150);
    const before = request.sent.length;
    hidden = false;
    document.dispatchEvent(new Event("visibilitychange"));
    await waitUntil(() => request.sent.length > before, "nobody asks");
    Reflect.deleteProperty(document, "hidden");
    expect(before).to.equal(1);
  });

  it("gives the focus back", async () => {
    await make();
    const button = await fixture<HTMLButtonElement>(html`<button>Delete</button>`);
    button.focus();
    await begin(protectedRequest([Password]));
    expect(document.activeElement).to.equal(field("password"));
    await submit({ password: "right" });
    await outcome;
    expect(document.activeElement).to.equal(button);
  });

  it("leaves nothing behind: no form, sheet, listener that acts", async () => {
    await make();
    const sheets = document.adoptedStyleSheets.length;
    for (let times = 0; times < 3; times += 1) {
      await begin(protectedRequest([Password]));
      await submit({ password: "right" });
      await outcome;
    }
    expect(document.adoptedStyleSheets.length).to.be.at.most(sheets + 1);
    expect(element.childElementCount).to.equal(0);
    expect(element.shadowRoot?.querySelector("dialog")).to.equal(null);
  });

  describe("whatever comes in between", () => {
    /** Lets a request wait. */
    const gate = (): { readonly passed: Promise<void>; readonly open: () => void } => {
      let open!: () => void;
      const passed = new Promise<void>((resolve) => (open = resolve));
      return { passed, open };
    };
    const refusing = (error: object): Promise<never> => Promise.reject(error as Error);

    it("is busy until the code is sent, and tells of each change once", async () => {
      await make();
      const told: boolean[] = [];
      element.addEventListener("uia-busy-changed", ({ detail }) => told.push(detail.busy));
      const { passed, open } = gate();
      element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
      element.requestPhoneToken = async () => {
        await passed;
        return { sid: "sid" };
      };
      outcome = element.authenticate(protectedRequest([Msisdn]).doRequest).catch(() => undefined);
      await waitUntil(() => dialog()?.open);
      await aTimeout(20);
      expect(element.state).to.equal("working");
      expect(told).to.deep.equal([true]);
      open();
      await asked();
      expect(told).to.deep.equal([true, false]);
    });

    it("ceases to be busy where it is called off, and is silent about what comes later", async () => {
      await make();
      const told: boolean[] = [];
      const { passed, open } = gate();
      element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
      element.requestPhoneToken = async () => {
        await passed;
        return { sid: "sid" };
      };
      element.addEventListener("uia-busy-changed", ({ detail }) => told.push(detail.busy));
      outcome = element.authenticate(protectedRequest([Msisdn]).doRequest).catch(() => undefined);
      await waitUntil(() => dialog()?.open);
      await aTimeout(20);
      element.cancel();
      await outcome;
      expect(told.at(-1)).to.be.false;
      const { length } = told;
      open();
      await aTimeout(0);
      expect(told).to.have.length(length);
    });

    it("asks once more where a question was under way when the person says it is finished", async () => {
      await make();
      const request = protectedRequest([Sso]);
      const { passed, open } = gate();
      outcome = element.authenticate(async (auth, background) => {
        const answer = request.doRequest(auth, background);
        answer.catch(() => undefined);
        if (request.sent.length === 2) await passed;
        return answer;
      });
      await asked();
      void element.session?.poll();
      await waitUntil(() => request.sent.length === 2);
      request.complete(Sso);
      const finished = element.session?.finish();
      await aTimeout(0);
      open();
      await finished;
      expect(element.session?.unfinished).to.equal(undefined);
      expect(await outcome).to.deep.equal({ done: true });
    });

    it("does not show at a stage what went wrong with the one before", async () => {
      await make();
      const { passed, open } = gate();
      const request = protectedRequest([Email, Password]);
      let messages = 0;
      element.requestEmailToken = async () => {
        messages += 1;
        if (messages === 1) return { sid: "sid" };
        await passed;
        return refusing(refusal(400, { errcode: "M_THREEPID_IN_USE", error: "in use" }));
      };
      element.inputs = { emailAddress: "a@example.org" };
      await begin(request);
      await waitUntil(() => element.session?.status.emailSid === "sid");
      const again = element.session?.requestEmailToken();
      await element.session?.poll();
      expect(element.session?.stage).to.equal(Password);
      open();
      await again;
      await element.updateComplete;
      expect(text()).not.to.contain("Another account");
    });

    it("says what is wrong where the homeserver sends no message, whatever it calls it", async () => {
      for (const errcode of ["M_UNKNOWN", "M_FORBIDDEN"]) {
        await make();
        element.requestEmailToken = () =>
          refusing(refusal(400, { errcode, error: "E-mail is disabled here" }));
        await begin(protectedRequest([Email]));
        await submit({ email: "a@example.org" });
        expect(text()).to.contain("E-mail is disabled here");
        element.cancel();
        await outcome;
      }
    });

    it("does not call a number a code", async () => {
      await make();
      element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
      element.requestPhoneToken = () =>
        refusing(refusal(400, { errcode: "M_UNKNOWN", error: "No phones here" }));
      await begin(protectedRequest([Msisdn]));
      await waitUntil(() => text().includes("No phones here"));
      expect(text()).not.to.contain("code is not right");
    });

    it("says that nobody can be reached where the network fails", async () => {
      await make();
      element.requestEmailToken = () => Promise.reject(new TypeError("Failed to fetch"));
      await begin(protectedRequest([Email]));
      await submit({ email: "a@example.org" });
      expect(text()).to.contain("can’t be reached");
    });

    it("says what the homeserver says, whatever it calls it", async () => {
      await make();
      const error = "of no use";
      for (const errcode of ["constructor", "__proto__"]) {
        await begin(
          protectedRequest(
            [RegistrationToken],
            {},
            { [RegistrationToken]: () => ({ errcode, error }) },
          ),
        );
        await submit({ token: "x" });
        expect(text()).to.contain("did not accept this. of no use");
        element.cancel();
        await outcome;
      }
    });

    it("sets the focus to the way on where a server is out of reach", async () => {
      await make();
      const request = protectedRequest([RegistrationToken]);
      await begin(request);
      request.failNext(new TypeError("Failed to fetch"));
      field("token").focus();
      await submit({ token: "typed" });
      expect(element.state).to.equal("failed");
      expect(element.shadowRoot?.activeElement === part("submit")).to.be.true;
    });

    it("keeps the focus where it was when another message was sent", async () => {
      await make();
      element.requestEmailToken = () => Promise.resolve({ sid: "sid" });
      await begin(protectedRequest([Email]));
      await submit({ email: "a@example.org" });
      element.session?.changeAddress();
      await element.updateComplete;
      const { setTimeout: later } = window;
      window.setTimeout = ((run: () => void, ms: number) =>
        later(run, ms === 30_000 ? 10 : ms)) as typeof setTimeout;
      await submit({ email: "b@example.org" });
      await aTimeout(30);
      await element.updateComplete;
      window.setTimeout = later;
      const again = other("Send again");
      again.focus();
      again.click();
      await waitUntil(() => !element.session?.canResend);
      await element.updateComplete;
      await aTimeout(50);
      expect(element.shadowRoot?.activeElement === again).to.be.true;
    });

    it("keeps the focus where a listener objects, however often", async () => {
      await make();
      const object = (event: Event): void => event.preventDefault();
      element.addEventListener("uia-cancel", object);
      await begin(protectedRequest([Password]));
      for (let times = 0; times < 3; times += 1) {
        await sendKeys({ press: "Escape" });
        await aTimeout(30);
      }
      await element.updateComplete;
      expect(document.activeElement === field("password")).to.be.true;
      element.removeEventListener("uia-cancel", object);
    });

    it("keeps the focus where it is moved in the document", async () => {
      await make();
      await begin(protectedRequest([Password]));
      const place = document.createElement("div");
      document.body.append(place);
      place.append(element);
      await waitUntil(() => dialog()?.matches(":modal"));
      expect(document.activeElement === field("password")).to.be.true;
    });

    it("tells once that it is called off", async () => {
      await make();
      await begin(protectedRequest([Password]));
      let times = 0;
      element.addEventListener("uia-cancel", () => (times += 1));
      element.open = false;
      element.cancel();
      element.cancel();
      await outcome;
      await aTimeout(10);
      expect(times).to.equal(1);
    });

    it("does not open where `open` was taken back before the answer", async () => {
      await make();
      const { passed, open } = gate();
      const request = protectedRequest([Password]);
      element.doRequest = async (auth, background) => {
        await passed;
        return request.doRequest(auth, background);
      };
      element.open = true;
      await aTimeout(20);
      element.open = false;
      await aTimeout(20);
      open();
      await aTimeout(20);
      expect(element.open).to.be.false;
      expect(element.state).to.equal("idle");
    });

    it("opens in a page whose language is none", async () => {
      document.documentElement.lang = "en_US.UTF-8";
      await make();
      await begin(protectedRequest([Password, Terms], POLICIES));
      expect(text()).to.contain("Step 1 of 2");
    });

    it("asks for a phone number in a page whose language is none", async () => {
      document.documentElement.lang = "en_US.UTF-8";
      await make();
      await begin(protectedRequest([Msisdn]));
      await waitUntil(() => element.querySelector("[name=phone]"), "no field", { timeout: 8000 });
    });

    it("takes null for what is not given", async () => {
      await make(html`<uia-dialog></uia-dialog>`);
      Object.assign(element, {
        client: null,
        doRequest: null,
        requestEmailToken: null,
        requestPhoneToken: null,
        loadCaptcha: null,
        inputs: null,
        supportedStages: null,
        userId: null,
        sessionId: null,
        clientSecret: null,
        emailSid: null,
        heading: null,
      });
      await begin(protectedRequest([Email]));
      expect(field("email").value).to.equal("");
    });

    it("takes an empty user for none", async () => {
      await make(html`<uia-dialog user-id=""></uia-dialog>`);
      await begin(protectedRequest([Password]));
      expect(field("username").readOnly).to.be.false;
    });

    it("leaves the homeserver in peace, whatever the interval", async () => {
      for (const pollInterval of [0, -1, 1e10, Number.NaN]) {
        await make();
        element.pollInterval = pollInterval;
        const request = protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } });
        await begin(request);
        await aTimeout(60);
        expect(request.sent, String(pollInterval)).to.have.length(1);
        element.cancel();
        await outcome;
      }
    });

    it("asks in between where the interval is none", async () => {
      await make();
      element.setAttribute("poll-interval", "20");
      element.removeAttribute("poll-interval");
      const delays: unknown[] = [];
      const { setTimeout: later } = window;
      window.setTimeout = ((run: () => void, ms: number) => {
        delays.push(ms);
        return later(run, ms);
      }) as typeof setTimeout;
      await begin(protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } }));
      window.setTimeout = later;
      expect(delays).to.include(5000);
    });

    it("does not take one policy's consent for another's", async () => {
      await make();
      let policy = "first";
      outcome = element
        .authenticate(() =>
          refusing(
            refusal(401, {
              session: "s",
              flows: [{ stages: [Terms] }],
              params: {
                [Terms]: {
                  policies: { p: { en: { name: policy, url: `https://x.example/${policy}` } } },
                },
              },
              errcode: "M_OTHER",
            }),
          ),
        )
        .catch(() => undefined);
      await asked();
      element.querySelector<HTMLInputElement>("[type=checkbox]")?.click();
      policy = "second";
      await submit();
      expect(element.querySelector("form bdi")?.textContent).to.equal("second");
      expect(element.querySelector<HTMLInputElement>("[type=checkbox]")?.checked).to.be.false;
    });

    it("shows a policy without a name by its address, at bearable length", async () => {
      for (const name of [undefined, "", " \u200B\t"]) {
        await make();
        const url = `https://x.example/${"a".repeat(1e4)}`;
        await begin(
          protectedRequest([Terms], { [Terms]: { policies: { p: { en: { name, url } } } } }),
        );
        const shown = element.querySelector("form bdi")?.textContent ?? "";
        expect(shown).to.match(/^https:/);
        expect(shown.length).to.be.at.most(200);
        element.cancel();
        await outcome;
      }
    });

    it("opens whatever the page's captcha does", async () => {
      for (const load of [
        () => {
          throw new Error("at once");
        },
        () => undefined,
        "no function",
      ]) {
        await make();
        element.client = { getFallbackAuthUrl: () => "https://hs.example/" };
        element.loadCaptcha = load as never;
        await begin(protectedRequest([Recaptcha], { [Recaptcha]: { public_key: "k" } }));
        await waitUntil(() => element.shadowRoot?.querySelector("uia-fallback-frame"));
        element.cancel();
        await outcome;
      }
    });

    it("begins a captcha anew where its response did not arrive", async () => {
      await make();
      let respond!: (response: string) => void;
      let resets = 0;
      element.loadCaptcha = () =>
        Promise.resolve({
          render: (_container, { callback }) => (respond = callback),
          reset: () => (resets += 1),
        });
      const request = protectedRequest([Recaptcha], { [Recaptcha]: { public_key: "k" } });
      await begin(request);
      await waitUntil(() => respond !== undefined);
      request.failNext(new TypeError("Failed to fetch"));
      respond("human");
      await inState("failed");
      await press("submit");
      await asked();
      await element.updateComplete;
      expect(resets).to.equal(1);
    });

    it("puts no captcha where nobody asks for it any longer", async () => {
      await make();
      const { passed, open } = gate();
      let rendered = false;
      element.loadCaptcha = async () => {
        await passed;
        return { render: () => (rendered = true) };
      };
      await begin(protectedRequest([Recaptcha], { [Recaptcha]: { public_key: "k" } }));
      element.cancel();
      await outcome;
      open();
      await aTimeout(0);
      expect(rendered).to.be.false;
    });

    it("submits nothing to the page's own form around it", async () => {
      const place = await fixture<HTMLElement>(
        html`<div><uia-dialog user-id="@a:b"></uia-dialog></div>`,
      );
      element = place.querySelector("uia-dialog") as UiaDialogElement;
      let heard = 0;
      place.addEventListener("submit", () => (heard += 1));
      await begin(protectedRequest([Password]));
      await submit({ password: "x" });
      await outcome;
      expect(heard).to.equal(0);
    });

    it("brings its fields back where the page has emptied it", async () => {
      await make();
      const request = protectedRequest([Password], {}, PASSWORD_JUDGE);
      await begin(request);
      element.replaceChildren();
      element.requestUpdate();
      await element.updateComplete;
      expect(field("password").isConnected).to.be.true;
    });

    it("shows the user whose password it submits", async () => {
      await make(html`<uia-dialog></uia-dialog>`);
      const { passed, open } = gate();
      element.client = {
        async whoami() {
          await passed;
          return { user_id: "@carol:hs.example" };
        },
      };
      const request = protectedRequest([Password]);
      await begin(request);
      fill({ username: "bob" });
      open();
      await waitUntil(() => element.session?.userId);
      await element.updateComplete;
      const shown = field("username").value;
      await submit({ password: "right" });
      expect(request.sent[1]).to.have.nested.property("identifier.user", shown);
    });

    it("subscribes to the page's client once at a time", async () => {
      let subscribed = 0;
      const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
      place.addEventListener("context-request", (event) => {
        const { callback } = event as unknown as {
          callback: (value: unknown, unsubscribe: () => void) => void;
        };
        subscribed += 1;
        callback({ getUserId: () => "@a:b" }, () => (subscribed -= 1));
      });
      element = place.querySelector("uia-dialog") as UiaDialogElement;
      for (let times = 0; times < 3; times += 1) {
        await begin(protectedRequest([Password]));
        await submit({ password: "right" });
        await outcome;
        expect(subscribed).to.equal(1);
      }
      place.remove();
      await waitUntil(() => subscribed === 0);
    });

    it("gives the session to a view that asked before anything was attempted", async () => {
      await make(html`
        <uia-dialog user-id="@a:b"><div slot="m.login.password"></div></uia-dialog>
      `);
      let session: UiaSession | undefined;
      element.firstElementChild?.dispatchEvent(
        Object.assign(new Event("context-request", { bubbles: true, composed: true }), {
          context: uiaSessionContext,
          contextTarget: element.firstElementChild,
          callback: (value: UiaSession) => (session = value),
          subscribe: true,
        }),
      );
      await begin(protectedRequest([Password]));
      expect(session?.stage).to.equal(Password);
    });

    it("leaves the page's window open where it is moved in the document", async () => {
      await make();
      element.client = { baseUrl: "https://hs.example" };
      const { open } = window;
      let closed = 0;
      window.open = () => ({ closed: false, close: () => (closed += 1) }) as unknown as Window;
      await begin(protectedRequest([Sso]));
      const frame = element.shadowRoot?.querySelector("uia-fallback-frame");
      await waitUntil(() => frame?.shadowRoot?.querySelector("[part=open]"), "no page");
      frame?.shadowRoot?.querySelector<HTMLElement>("[part=open]")?.click();
      window.open = open;
      expect(frame?.state).to.equal("open");
      const place = document.createElement("div");
      document.body.append(place);
      place.append(element);
      await aTimeout(20);
      expect(closed).to.equal(0);
      expect(frame?.state).to.equal("open");
      element.cancel();
      await outcome;
      await element.updateComplete;
      await aTimeout(0);
      expect(closed).to.equal(1);
    });

    it("tells that it was called off while it was loading", async () => {
      await make();
      let told = 0;
      element.addEventListener("uia-cancel", () => (told += 1));
      const attempt = element.authenticate(() => Promise.resolve(1)).catch(() => undefined);
      element.cancel();
      await attempt;
      expect(told).to.equal(1);
    });

    it("goes on where a listener objects while it is loading", async () => {
      await make();
      element.addEventListener("uia-cancel", (event) => event.preventDefault(), { once: true });
      const attempt = element.authenticate(() => Promise.resolve(1));
      element.cancel();
      expect(await attempt).to.equal(1);
    });

    it("tells of a request's own error, also where that calls itself cancelled", async () => {
      await make();
      const told = oneEvent(element, "uia-error") as Promise<UiaErrorEvent>;
      const error = Object.assign(new Error("not mine"), { code: "cancelled" });
      await element.authenticate(() => Promise.reject(error)).catch(() => undefined);
      expect((await told).detail.error).to.equal(error);
    });

    it("is called off once where a listener does so again", async () => {
      await make();
      let told = 0;
      element.addEventListener("uia-cancel", () => {
        told += 1;
        element.cancel();
      });
      const attempt = element.authenticate(() => Promise.resolve(1)).catch(() => "over");
      element.cancel();
      expect(await attempt).to.equal("over");
      expect(told).to.equal(1);
    });

    it("forgets the client of a place that it has left", async () => {
      const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
      provideAuthClient(place, { userId: "@a:hs.example" });
      element = place.querySelector("uia-dialog") as UiaDialogElement;
      await begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
      expect(element.session?.userId).to.equal("@a:hs.example");
      await submit({ password: "right" });
      await outcome;
      document.body.append(element);
      await begin(protectedRequest([Password]));
      expect(element.session?.client).to.equal(undefined);
      expect(element.session?.userId).to.equal(undefined);
      element.cancel();
      await inState("idle");
      element.remove();
    });

    it("asks for its client by context once, however often it runs", async () => {
      let asked = 0;
      const count = (event: Event): void => {
        if ((event as Event & { context?: unknown }).context === authClientContext) asked += 1;
      };
      document.addEventListener("context-request", count);
      await make();
      for (let run = 0; run < 3; run += 1) await element.authenticate(() => Promise.resolve(1));
      document.removeEventListener("context-request", count);
      expect(asked).to.equal(1);
    });

    it("says that no message went out where the page's answer names no session", async () => {
      await make();
      element.requestPhoneToken = () => Promise.resolve({ sid: "" });
      element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
      await begin(protectedRequest([Msisdn]));
      await waitUntil(() => element.session?.status.errcode !== undefined);
      expect(element.session?.status.errcode).to.equal("validation_invalid");
      expect(text()).to.contain("has a problem");
    });

    it("keeps the country that was chosen when the language changes", async () => {
      await make();
      await begin(protectedRequest([Msisdn]));
      await waitUntil(() => element.querySelector("[name=country]"), "no field", { timeout: 8000 });
      fill({ country: "DE" });
      field("country").dispatchEvent(new Event("change", { bubbles: true }));
      document.documentElement.lang = "de";
      await waitUntil(() => field("country").textContent.includes("Deutschland"));
      expect(field("country").value).to.equal("DE");
    });

    it("takes empty attributes for none", async () => {
      await make(html`<uia-dialog session-id="" client-secret="" email-sid=""></uia-dialog>`);
      const secrets: string[] = [];
      element.requestEmailToken = (_email, secret) => {
        secrets.push(secret);
        return Promise.resolve({ sid: "sid" });
      };
      const request = protectedRequest([Email]);
      await begin(request);
      expect(request.sent).to.deep.equal([null]);
      await submit({ email: "a@example.org" });
      expect(secrets[0]).not.to.equal("");
    });

    it("says that nobody can be reached where it asks by itself", async () => {
      await make();
      element.inputs = { emailAddress: "a@example.org" };
      element.requestEmailToken = () => Promise.reject(new TypeError("Failed to fetch"));
      await begin(protectedRequest([Email]));
      await waitUntil(() => field("email").ariaInvalid === "true");
      expect(text()).to.contain("can’t be reached");
      element.cancel();
      await outcome;
      element.inputs = undefined;
      const request = protectedRequest([Sso]);
      await begin(request);
      request.failNext(new TypeError("Failed to fetch"));
      await element.session?.finish();
      await element.updateComplete;
      expect(text()).to.contain("can’t be reached");
      expect(element.session?.unfinished).to.be.false;
    });

    it("asks nobody while the page is hidden, and once it is back", async () => {
      await make();
      element.pollInterval = 20;
      const request = protectedRequest([OAuth], { [OAuth]: { url: "https://account.example/" } });
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      try {
        await begin(request);
        await aTimeout(80);
        expect(request.sent).to.have.length(1);
        Object.defineProperty(document, "hidden", { value: false, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
        window.dispatchEvent(new Event("focus"));
        expect(request.sent.length).to.be.at.most(2);
        await waitUntil(() => request.sent.length > 2);
      } finally {
        delete (document as { hidden?: boolean }).hidden;
      }
      element.cancel();
      await outcome;
      const { length } = request.sent;
      window.dispatchEvent(new Event("focus"));
      await aTimeout(60);
      expect(request.sent).to.have.length(length);
    });

    it("works in another shadow, in another dialog, and beside another", async () => {
      const place = await fixture<HTMLDialogElement>(html`<dialog><div></div></dialog>`);
      place.showModal();
      const root = place.firstElementChild?.attachShadow({ mode: "open" });
      root?.append(document.createElement("uia-dialog"), document.createElement("uia-dialog"));
      const both = [...(root?.querySelectorAll("uia-dialog") ?? [])];
      const results: Promise<unknown>[] = [];
      const focused: boolean[] = [];
      for (const each of both) {
        each.userId = "@a:b";
        element = each;
        await begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
        results.push(outcome);
        await submit({ password: "wrong" });
        focused.push(root?.activeElement === field("password"));
      }
      expect(focused).to.deep.equal([true, true]);
      const ids = [...(root?.querySelectorAll("[id]") ?? [])].map(({ id }) => id);
      expect(new Set(ids).size).to.equal(ids.length);
      for (const each of both.reverse()) {
        element = each;
        await press("cancel");
        await waitUntil(() => each.state === "idle");
      }
      await Promise.all(results);
      expect(place.open).to.be.true;
      expect(root?.querySelector("form")).to.equal(null);
    });

    it("is accessible where a server is out of reach, and where a message was sent", async () => {
      await make();
      element.requestEmailToken = () => Promise.resolve({ sid: "sid" });
      const request = protectedRequest([Email]);
      await begin(request);
      await submit({ email: "a@example.org" });
      await expect(document.body).to.be.accessible();
      request.failNext(new TypeError("Failed to fetch"));
      await element.submitAuthDict({ type: Email });
      await inState("failed");
      await element.updateComplete;
      await expect(document.body).to.be.accessible();
    });

    it("ends at once, whatever is under way", async () => {
      for (const stage of [Email, Msisdn, RegistrationToken]) {
        await make();
        const { passed, open } = gate();
        element.requestEmailToken = async () => {
          await passed;
          return { sid: "sid" };
        };
        element.requestPhoneToken = async () => {
          await passed;
          return { sid: "sid" };
        };
        const request = protectedRequest([stage]);
        outcome = element
          .authenticate(async (auth, background) => {
            if (auth) await passed;
            return request.doRequest(auth, background);
          })
          .catch((error: unknown) => error);
        await asked();
        if (stage === Email) void element.session?.requestEmailToken("a@b.example");
        else if (stage === Msisdn) void element.session?.requestPhoneToken("GB", "07700900123");
        else void element.session?.submit({ type: stage, token: "x" });
        await inState("working");
        element.cancel();
        expect(await outcome).to.have.property("code", "cancelled");
        open();
        await aTimeout(10);
        expect(element.state).to.equal("idle");
        expect(element.childElementCount).to.equal(0);
        expect(element.shadowRoot?.childElementCount).to.equal(0);
      }
    });

    it("is called off once where a listener calls it off too", async () => {
      await make();
      let times = 0;
      element.addEventListener("uia-cancel", () => {
        times += 1;
        if (times < 5) element.cancel();
      });
      await begin(protectedRequest([Password]));
      element.cancel();
      await outcome;
      expect(times).to.equal(1);
    });

    it("shows no page's words as a stage, whatever the homeserver calls it", async () => {
      for (const stage of ["heading", "description", "fields"]) {
        await make(
          html`<uia-dialog
            ><p slot="heading">Really?</p>
            <p slot="description">So</p></uia-dialog
          >`,
        );
        element.client = { getFallbackAuthUrl: () => "https://hs.example/" };
        await begin(protectedRequest([stage]));
        expect(element.shadowRoot?.querySelector("uia-fallback-frame"), stage).to.exist;
        element.cancel();
        await outcome;
      }
    });

    it("never rejects what a view asks for, whenever it asks", async () => {
      await make();
      element.inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
      element.requestPhoneToken = () => Promise.resolve({ sid: "sid" });
      const request = protectedRequest(
        [Msisdn],
        {},
        { [Msisdn]: () => ({ errcode: "M_UNAUTHORIZED", error: "no" }) },
      );
      await begin(request);
      await waitUntil(() => element.session?.phone);
      request.failNext(new TypeError("Failed to fetch"));
      await element.submitAuthDict({ type: Msisdn });
      await inState("failed");
      await element.poll();
      await element.session?.finish();
      await element.session?.requestPhoneToken();
      await element.session?.submitPhoneCode("1");
    });

    it("says again what is wrong with a number that is still wrong", async () => {
      await make();
      element.inputs = {};
      await begin(protectedRequest([Msisdn]));
      await waitUntil(() => element.querySelector("[name=phone]"));
      fill({ country: "GB" });
      await submit({ phone: "12" });
      part("submit")?.focus();
      await submit({ phone: "13" });
      expect(document.activeElement === field("phone")).to.be.true;
    });

    it("has its fields where its page has moved them into a shadow", async () => {
      await make();
      await begin(protectedRequest([Password]));
      const place = await fixture<HTMLElement>(html`<div></div>`);
      place.attachShadow({ mode: "open" }).append(element);
      await waitUntil(() => dialog()?.matches(":modal"));
      await element.updateComplete;
      expect(getComputedStyle(element.querySelector("form") as Element).display).to.equal("grid");
    });

    it("fits on a narrow screen with large text, in either direction", async () => {
      const { style } = document.documentElement;
      style.fontSize = "32px";
      for (const dir of ["ltr", "rtl"]) {
        document.documentElement.dir = dir;
        for (const stage of [Password, Msisdn, Terms, Email]) {
          await make();
          element.style.setProperty("--uia-inline-size", "18rem");
          await begin(protectedRequest([stage], POLICIES));
          await aTimeout(60);
          const { scrollWidth = 0, clientWidth = 0 } = dialog() ?? {};
          expect(scrollWidth, `${stage} ${dir}`).to.be.at.most(clientWidth);
          element.cancel();
          await outcome;
        }
      }
      style.fontSize = "";
      document.documentElement.dir = "";
    });
  });

  describe("for everybody", () => {
    const views: Readonly<Record<string, readonly [readonly string[], object?]>> = {
      password: [[Password, Dummy]],
      email: [[Email, Password]],
      phone: [[Msisdn]],
      token: [[RegistrationToken]],
      terms: [[Terms], POLICIES],
      sso: [[Sso]],
      captcha: [[Recaptcha]],
      approval: [[OAuth], { [OAuth]: { url: "https://account.example/" } }],
    };
    for (const colorScheme of ["light", "dark"] as const) {
      for (const [name, [stages, params]] of Object.entries(views)) {
        it(`is accessible: ${name}, ${colorScheme}`, async () => {
          document.documentElement.style.colorScheme = colorScheme;
          await make();
          element.client = { getFallbackAuthUrl: () => "https://hs.example/fallback" };
          await begin(protectedRequest(stages, { ...params }));
          await aTimeout(30);
          await expect(document.body).to.be.accessible();
          document.documentElement.style.colorScheme = "";
        });
      }
    }

    it("is accessible with an error, and while it waits", async () => {
      await make();
      const request = protectedRequest([Password], {}, PASSWORD_JUDGE);
      await begin(request);
      await submit({ password: "wrong" });
      await expect(document.body).to.be.accessible();
      fill({ password: "right" });
      part("submit")?.click();
      await aTimeout(0);
      await outcome;
    });
  });
});
