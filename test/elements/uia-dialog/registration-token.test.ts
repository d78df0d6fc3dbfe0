import { expect } from "@open-wc/testing";
import { AuthType, type AuthDict } from "matrix-auth-elements";
import { protectedRequest } from "../support/protected-request.js";
import { RegistrationToken, element, endDialog, outcome, ui } from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> at m.login.registration_token", () => {
  afterEach(endDialog);

  const judge = {
    [RegistrationToken]: ({ token }: AuthDict) =>
      token === "good" ? undefined : { errcode: "M_UNAUTHORIZED", error: "Invalid token" },
  };

  it("submits the trimmed token, and keeps one that was refused", async () => {
    const request = await ui.open([RegistrationToken], {}, judge);
    await ui.submit({ token: "bad" });
    expect(ui.field("token").value).to.equal("bad");
    expect(ui.text()).to.contain("Invalid registration token.");
    await ui.submit({ token: " good " });
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent[2]).to.deep.equal({
      session: "the-session",
      type: RegistrationToken,
      token: "good",
    });
  });

  it("submits a known token once by itself, under the stage's own name", async () => {
    await ui.make();
    element.inputs = { registrationToken: "good" };
    const unstable = AuthType.UnstableRegistrationToken;
    const request = protectedRequest([unstable]);
    await element.authenticate(request.doRequest);
    expect(request.sent[1]).to.have.property("type", unstable);
    element.inputs = { registrationToken: "known but bad" };
    const refused = protectedRequest([RegistrationToken], {}, judge);
    await ui.begin(refused);
    await waitFor(() => ui.field("token").ariaInvalid === "true");
    expect(ui.field("token").value).to.equal("known but bad");
    expect(refused.sent).to.have.length(2);
  });
});
