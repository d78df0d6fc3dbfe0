// Faults of the page's functions and clients aren't shown as failures of the network or the server.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  AuthType,
  errorText,
  MatrixError,
  type MatrixAccountElement,
  type UiaDialogElement,
} from "matrix-auth-elements";
import { HomeserverClient } from "matrix-auth-elements/core";
import { restoreStubs } from "../../support/stub.js";
import { nextEvent, textIn } from "../support/element.js";
import { protectedRequest } from "../support/protected-request.js";
import { HOMESERVER, useTestServers } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";

const fault = (): TypeError => new TypeError("x is undefined");

async function openDialog(
  stage: string,
  set: Partial<UiaDialogElement> = {},
): Promise<{
  readonly dialog: UiaDialogElement;
  readonly request: ReturnType<typeof protectedRequest>;
  readonly outcome: Promise<unknown>;
}> {
  const dialog = await fixture<UiaDialogElement>(html`<uia-dialog></uia-dialog>`);
  Object.assign(dialog, set);
  const request = protectedRequest([stage]);
  const outcome = dialog.authenticate(request.doRequest).catch((error: unknown) => error);
  await waitFor(() => dialog.state === "awaiting-input" && dialog.open);
  return { dialog, request, outcome };
}

describe("A fault of the page's own code", () => {
  afterEach(restoreStubs);

  it("in the request of <uia-dialog> ends the dialog, and rejects the call with the fault itself", async () => {
    const { dialog, request, outcome } = await openDialog(AuthType.RegistrationToken);
    const error = Object.freeze(fault());
    const fired = nextEvent(dialog, "uia-error");
    request.failNext(error);
    await dialog.session?.submit({ type: AuthType.RegistrationToken, token: "typed" });
    expect(await outcome).to.equal(error);
    expect((await fired).detail).to.deep.equal({ error, code: "unexpected" });
    expect(dialog.open).to.be.false;
    expect(dialog.error).to.equal(error);
  });

  it("when <uia-dialog> requests a message is shown as a fault of the page", async () => {
    const requestEmailToken = (): Promise<never> => Promise.reject(Object.freeze(fault()));
    const inputs = { emailAddress: "alice@example.org" };
    const { dialog } = await openDialog(AuthType.Email, { requestEmailToken, inputs });
    await waitFor(() => dialog.session?.status.errcode);
    expect(dialog.session?.status.errcode).to.equal("unexpected");
    const text = (): string => textIn(dialog) + dialog.innerText;
    await waitFor(() => text().includes("Something went wrong."), text);
    expect(text()).not.to.contain("server");
    dialog.cancel();
  });

  for (const [what, members] of Object.entries({
    "throws a TypeError": { getDevices: () => Promise.reject(Object.freeze(fault())) },
    "throws a RangeError": {
      getDevices: () => Promise.reject(Object.freeze(new RangeError("x"))),
    },
    "lacks a method": { getThreePids: undefined },
  })) {
    it(`in <matrix-account> is unexpected, with its cause, if the client ${what}`, async () => {
      const servers = await useTestServers({ login: ["password"] });
      const { accessToken } = servers.signIn("alice");
      const client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken });
      Object.assign(client, members);
      const element = await fixture<MatrixAccountElement>(
        html`<matrix-account sections="devices contacts"></matrix-account>`,
      );
      const failed = nextEvent(element, "matrix-account-error");
      element.client = client;
      const { error, code } = (await failed).detail;
      await waitFor(() => element.state === "error");
      expect(code).to.equal("unexpected");
      expect(error.message).to.equal("An unexpected error occurred");
      expect(error.cause).to.be.instanceOf(Error);
      expect(textIn(element)).to.contain("Something went wrong.");
      expect(textIn(element)).not.to.contain("connection");
    });
  }

  it("leaves a homeserver's error unchanged, even if it is frozen", async () => {
    const error = Object.freeze(
      new MatrixError({ status: 403, body: { errcode: "M_USER_LOCKED" } }),
    );
    expect(await errorText(error)).to.match(/^This account is locked\./);
    expect(error.code).to.equal("M_USER_LOCKED");
    expect(new MatrixError({ status: 502, body: "" }).code).to.equal("unexpected_status");
  });
});
