import { expect } from "@open-wc/testing";
import type { MatrixAccountElement } from "matrix-auth-elements";
import type { TestServers, TestServersOptions } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { whatIsWrong } from "../accessibility/check.js";
import { leaveModes } from "../accessibility/modes.js";
import { goOffline, useTestServers } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";
import { control, DAY_MS, dialogOf, make, PASSWORD, settled, signIn } from "./fixture.js";

const devices = [
  { device_id: "LAPTOP", display_name: "Laptop", last_seen_ts: Date.now() - 3 * DAY_MS },
  { device_id: "LONG", display_name: "Rechtsschutzversicherungsgesellschaftsanmeldung ".repeat(9) },
  { device_id: "EMPTY", display_name: "" },
];

describe("<matrix-account> is accessible", () => {
  let servers: TestServers;
  let element: MatrixAccountElement;

  async function show(options: TestServersOptions = {}): Promise<void> {
    const emails = ["alice@mail.example"];
    servers = await useTestServers({
      login: ["password"],
      accounts: { alice: { password: PASSWORD, devices, emails } },
      ...options,
    });
    document.title = "A page";
    document.documentElement.lang = "en";
    element = await make({ session: signIn(servers) });
    await settled(element);
  }
  afterEach(async () => {
    element.cancel();
    await leaveModes();
    restoreStubs();
  });

  const click = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      control(element, name).click();
      await element.updateComplete;
    }
  };

  const states: Readonly<Record<string, () => Promise<unknown>>> = {
    "with everything that a homeserver offers": () => show(),
    "with a device that is renamed, and one that is selected": async () => {
      await show();
      await click("Laptop", "Rename Laptop");
    },
    "with a name that could not be saved": async () => {
      await show();
      await click("Rename Laptop");
      goOffline(servers);
      await click("Save");
      await waitFor(() => element.state === "error");
    },
    "with a new password that is missing, and a user ID": async () => {
      await show();
      await click("Change password", "Continue");
      await waitFor(() => element.querySelector("[name=user]"));
      await click("Deactivate account");
    },
    "with the form for a phone number": async () => {
      await show();
      await click("Add phone number");
      await waitFor(() => element.querySelector("select"));
    },
    "with an address that the user is asked about": async () => {
      await show();
      await click("Remove alice@mail.example");
    },
    "with the dialog": async () => {
      await show();
      await click("Sign out Laptop");
      await dialogOf(element);
      await waitFor(() => element.state === "busy");
    },
    "with a provider": () => show({ login: ["oauth"] }),
    "with a provider without account page": () =>
      show({ login: ["oauth"], metadata: { account_management_uri: undefined } }),
    "where it can't be loaded": async () => {
      servers = await useTestServers({ login: ["password"] });
      const session = signIn(servers);
      goOffline(servers);
      element = await make({ session });
      await settled(element);
    },
  };
  for (const [what, reach] of Object.entries(states)) {
    it(`${what}, in every mode`, async () => {
      await reach();
      await element.updateComplete;
      expect(await whatIsWrong()).to.deep.equal([]);
    });
  }
});
