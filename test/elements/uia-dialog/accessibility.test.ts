import { aTimeout, expect } from "@open-wc/testing";
import { protectedRequest } from "../support/protected-request.js";
import {
  Dummy,
  Email,
  Msisdn,
  OAuth,
  Password,
  Recaptcha,
  RegistrationToken,
  Sso,
  Terms,
  PASSWORD_JUDGE,
  POLICIES,
  begin,
  dialog,
  element,
  endDialog,
  fill,
  inState,
  make,
  outcome,
  part,
  submit,
} from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> can be used by everybody", () => {
  afterEach(endDialog);
  afterEach(() => {
    for (const name of ["style", "dir"]) document.documentElement.removeAttribute(name);
  });

  /** Some views load their code first. */
  const viewed = (): Promise<unknown> =>
    waitFor(
      () =>
        element.querySelector("form [name]:not([name=username]), form [type=checkbox]") ??
        element.shadowRoot
          ?.querySelector("uia-fallback-frame")
          ?.shadowRoot?.querySelector("[part=open]"),
      "no view",
    );

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
        await viewed();
        await aTimeout(30);
        await expect(document.body).to.be.accessible();
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

  it("fits on a narrow screen with large text, in either direction", async () => {
    const { style } = document.documentElement;
    style.fontSize = "32px";
    for (const dir of ["ltr", "rtl"]) {
      document.documentElement.dir = dir;
      for (const stage of [Password, Msisdn, Terms, Email]) {
        await make();
        element.style.setProperty("--uia-inline-size", "18rem");
        await begin(protectedRequest([stage], POLICIES));
        await viewed();
        await aTimeout(60);
        const { scrollWidth = 0, clientWidth = 0 } = dialog() ?? {};
        expect(scrollWidth, `${stage} ${dir}`).to.be.at.most(clientWidth);
        element.cancel();
        await outcome;
      }
    }
  });
});
