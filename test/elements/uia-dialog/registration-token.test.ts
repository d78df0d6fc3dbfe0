import { expect } from "@open-wc/testing";
import { AuthType, type AuthDict } from "matrix-auth-elements";
import { waitFor } from "../support/wait-for.js";
import {
  NOT_YET,
  RegistrationToken,
  element,
  endDialog,
  outcome,
  refusing,
  ui,
} from "./fixture.js";
import { protectedRequest, refusal } from "../support/protected-request.js";

describe("<uia-dialog> at m.login.registration_token", () => {
  afterEach(endDialog);

  const validators = {
    [RegistrationToken]: ({ token }: AuthDict) => (token === "good" ? undefined : NOT_YET),
  };

  it("submits the trimmed token, and clears one that was rejected", async () => {
    const request = await ui.open([RegistrationToken], { validators });
    await ui.submit({ token: "bad" });
    expect(ui.field("token").value).to.equal("");
    expect(ui.text()).to.contain("Invalid registration token.");
    await ui.submit({ token: " good " });
    await ui.expectDone();
    expect(request.sent[2]).to.deep.equal({
      session: "the-session",
      type: RegistrationToken,
      token: "good",
    });
  });

  for (const [typed, token] of [
    ["\u200Bmy-token_1.~\u2060", "my-token_1.~"],
    ["１２-٣٤", "12-34"],
    ["123 456\u00A0", "123456"],
    ["\uFEFF12\u202E34", "1234"],
  ]) {
    it(`submits the token ${JSON.stringify(token)} without invisible characters`, async () => {
      const request = await ui.open([RegistrationToken]);
      await ui.submit({ token: typed ?? "" });
      await ui.expectDone();
      expect(request.sent[1]?.["token"]).to.equal(token);
    });
  }

  it("automatically submits a known token once, with the stage's type", async () => {
    await ui.make();
    element.inputs = { registrationToken: "good" };
    const unstable = AuthType.UnstableRegistrationToken;
    const request = protectedRequest([unstable]);
    await element.authenticate(request.doRequest);
    expect(request.sent[1]).to.have.property("type", unstable);
    element.inputs = { registrationToken: "known but bad" };
    const refused = protectedRequest([RegistrationToken], {}, validators);
    await ui.begin(refused);
    await waitFor(() => ui.field("token").ariaInvalid === "true");
    expect(ui.field("token").value).to.equal("known but bad");
    expect(refused.sent).to.have.length(2);
  });

  it("submits a known token once when the homeserver alternates the stage's two names", async () => {
    await ui.make();
    element.inputs = { registrationToken: "known" };
    const sent: (AuthDict | null)[] = [];
    const names = [RegistrationToken, AuthType.UnstableRegistrationToken];
    ui.follow(
      element.authenticate((auth) => {
        sent.push(auth);
        const stages = [names[sent.length % 2]];
        if (sent.length > 20) return Promise.resolve({});
        return refusing(refusal(401, { session: "s", flows: [{ stages }] }));
      }),
    );
    await ui.asked();
    expect(sent.map((auth) => auth?.["token"])).to.deep.equal([undefined, "known"]);
    expect(ui.field("token").value).to.equal("known");
    await ui.press("cancel");
    await outcome.catch(() => undefined);
  });
});
