// Two accounts in one page, and homeservers that respond late.
import { expect } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { MatrixAccountElement } from "matrix-auth-elements";
import { HomeserverClient, LegacySession } from "matrix-auth-elements/core";
import {
  createTestServers,
  type TestServers,
  type TestServersOptions,
} from "matrix-auth-elements/testing";
import { nextEvent, part, recordEvents, textIn } from "../elements/support/element.js";
import {
  answer,
  choosePicture,
  clientOf,
  confirm,
  control,
  devicesOf,
  dialogField,
  dialogOf,
  make,
  openDetails,
  PASSWORD,
  picture,
  questionOf,
  settled,
  shownDevices,
  submitInDialog,
} from "../elements/matrix-account/fixture.js";
import { bodiesTo, hold, HOMESERVER, useTestServers } from "../elements/support/test-servers.js";
import { untilQuiet, waitFor } from "../elements/support/wait-for.js";
import { restoreStubs, stub } from "../support/stub.js";

const OTHER = "https://other.example";
const LOOK_UPS = "devices password contacts deactivation";

let servers: TestServers;
let alice: LegacySession;
let bob: LegacySession;

async function useAccounts(options: TestServersOptions = {}): Promise<void> {
  servers = await useTestServers({
    login: ["password"],
    accounts: {
      alice: {
        password: PASSWORD,
        devices: [{ device_id: "PHONE", display_name: "Phone" }],
        emails: ["alice@mail.example"],
      },
      bob: PASSWORD,
    },
    ...options,
  });
  alice = new LegacySession(servers.signIn("alice"), { key: "alice" });
  bob = new LegacySession(servers.signIn("bob"), { key: "bob" });
}

async function show(
  given: Parameters<typeof make>[0],
  sections = LOOK_UPS,
): Promise<MatrixAccountElement> {
  const element = await make({ sections, ...given });
  await settled(element);
  return element;
}

function type(element: MatrixAccountElement, name: string, value: string): void {
  const input = element.querySelector<HTMLInputElement>(`[name=${name}]`);
  if (!input) throw new Error(`no field ${name}`);
  input.value = value;
}

/** The button of the form, which has the same name as the button that opens it. */
const submitDeactivation = ({ shadowRoot }: MatrixAccountElement): void =>
  shadowRoot?.querySelector<HTMLElement>("[data-section=deactivation] [part=danger]")?.click();

async function startDeactivation(element: MatrixAccountElement): Promise<void> {
  control(element, "Deactivate account").click();
  await waitFor(() => element.querySelector("[name=user]"));
  type(element, "user", element.userId ?? "");
  submitDeactivation(element);
  await answer(element, "Deactivate account");
}

/** Lets the homeserver carry out a request, but holds its response. */
function holdResponse(endpoint: string): {
  readonly done: Promise<void>;
  readonly release: () => void;
} {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const done = new Promise<void>((notify) => {
    servers.override(endpoint, async ({ url, method, headers, body }) => {
      const response = await servers.respond(new Request(url, { method, headers, body }));
      notify();
      await released;
      return response;
    });
  });
  return { done, release };
}

afterEach(restoreStubs);

/** The accessible name of the button that signs out this device. */
function ownSignOut({ shadowRoot }: MatrixAccountElement): string {
  const [name] = shadowRoot?.querySelectorAll("[part=device-name]") ?? [];
  return `Sign out ${name?.textContent.trim() ?? ""}`;
}

async function signOutHere(element: MatrixAccountElement): Promise<void> {
  control(element, ownSignOut(element)).click();
  await answer(element, "Sign out");
}

/** Resolves when the next call of a method has ended, and the page has seen its result. */
async function ended<Method extends string>(
  owner: Readonly<Record<Method, (...parameters: never[]) => Promise<unknown>>>,
  method: Method,
): Promise<void> {
  const call = owner[method].bind(owner) as () => Promise<unknown>;
  await new Promise<void>((resolve) => {
    const spied = (): Promise<unknown> => {
      const result = call();
      const finish = (): unknown => setTimeout(resolve);
      result.then(finish, finish);
      return result;
    };
    stub(owner, method, { value: spied });
  });
}

describe("<matrix-account>: the sign-out of one account, and the page of another", () => {
  beforeEach(() => useAccounts());

  for (const what of ["session", "client"] as const) {
    it(`doesn't end the page of the next account, set by its ${what}`, async () => {
      const client = clientOf(alice);
      const element = await show(what === "session" ? { session: alice } : { client });
      const signedOut = what === "session" ? ended(alice, "signOut") : ended(client, "logout");
      const { asked, release } = hold(servers, "POST /logout");
      await signOutHere(element);
      await asked;
      Object.assign(element, { client: undefined, session: bob });
      await waitFor(() => element.userId === "@bob:hs.example");
      await settled(element);
      release();
      await signedOut;
      await settled(element);
      expect(textIn(element)).to.contain("@bob:hs.example").and.not.contain("You’re signed out.");
      expect(devicesOf(servers)).to.deep.equal(["PHONE"]);
      expect(bob.state).to.equal("signed-in");
    });

    it(`shows that its own account is signed out, set by its ${what}`, async () => {
      const given = what === "session" ? { session: alice } : { client: clientOf(alice) };
      const element = await show(given);
      await signOutHere(element);
      await waitFor(() => textIn(element) === "You’re signed out.");
    });
  }

  it("isn't requested if a listener shows another account", async () => {
    const element = await show({ session: alice });
    element.addEventListener("matrix-account-sign-out", () => {
      element.session = bob;
      element.requestUpdate();
      // Lit has the method for tests and for code that measures.
      (element as unknown as { performUpdate(): void }).performUpdate();
    });
    control(element, ownSignOut(element)).click();
    await waitFor(() => element.userId === "@bob:hs.example");
    await settled(element);
    expect(element.shadowRoot?.querySelector("[part=question]")).to.equal(null);
    expect(alice.state).to.equal("signed-in");
    expect(bob.state).to.equal("signed-in");
  });
});

describe("<matrix-account>: a client and a session", () => {
  const other = { homeserver: OTHER, login: ["password"], accounts: { alice: PASSWORD } } as const;
  let elsewhere: TestServers;
  beforeEach(async () => {
    elsewhere = await createTestServers(other);
    await useAccounts({ fetch: elsewhere.fetch });
  });

  const disagreeing = {
    "of two users": () => ({ client: clientOf(alice), session: bob }),
    "of two users, if the client has only a token": async () => ({
      client: new HomeserverClient({
        baseUrl: HOMESERVER,
        accessToken: await alice.accessToken(),
      }),
      session: bob,
    }),
    "of two devices": () => ({
      client: clientOf(alice),
      session: new LegacySession(servers.signIn("alice"), { key: "other" }),
    }),
    "of two homeservers": () => ({
      client: new HomeserverClient({ baseUrl: OTHER, accessToken: "token" }),
      session: alice,
    }),
    "of two homeservers, whose users and devices have the same names": () => ({
      client: new HomeserverClient({
        baseUrl: OTHER,
        accessToken: "token",
        userId: alice.user.userId,
        deviceId: alice.user.deviceId,
      }),
      session: alice,
    }),
    "of two users on one device ID": () => ({
      client: new HomeserverClient({
        baseUrl: HOMESERVER,
        accessToken: "token",
        userId: alice.user.userId,
        deviceId: bob.user.deviceId,
      }),
      session: bob,
    }),
  };
  for (const [how, given] of Object.entries(disagreeing)) {
    it(`for different accounts are an error, ${how}, and nothing else is requested`, async () => {
      const pair = await given();
      const before = servers.requests.length;
      const element = await make({ sections: LOOK_UPS });
      const failed = nextEvent(element, "matrix-account-error");
      Object.assign(element, pair);
      expect((await failed).detail).to.have.property("code", "settings_invalid");
      await settled(element);
      const requests = servers.requests.slice(before).map(({ url }) => new URL(url).pathname);
      expect(requests.filter((path) => !path.endsWith("/whoami"))).to.deep.equal([]);
      expect(elsewhere.requests).to.deep.equal([]);
      expect(element.userId).to.equal(undefined);
      expect(textIn(element)).to.not.contain("@alice:hs.example");
      expect([alice.state, bob.state]).to.deep.equal(["signed-in", "signed-in"]);
    });
  }

  const agreeing = {
    "the session's client": () => ({ client: clientOf(alice), session: alice }),
    "a client with the session's token": async () => ({
      client: new HomeserverClient({
        baseUrl: `${HOMESERVER}/`,
        accessToken: await alice.accessToken(),
      }),
      session: alice,
    }),
  };
  for (const [what, given] of Object.entries(agreeing)) {
    it(`for one account are accepted: ${what}`, async () => {
      const element = await show(await given());
      expect(element.userId).to.equal("@alice:hs.example");
      await signOutHere(element);
      await waitFor(() => alice.state === "signed-out");
    });
  }
});

describe("<matrix-account>: a request that the homeserver carries out after it was cancelled", () => {
  let element: MatrixAccountElement;
  beforeEach(async () => {
    await useAccounts();
    element = await show({ session: alice });
  });

  const dismiss = async (): Promise<void> => {
    (await dialogOf(element)).cancel();
    await settled(element);
  };
  const cancel = async (): Promise<void> => {
    element.cancel();
    await settled(element);
  };
  for (const [how, stop] of Object.entries({ "with cancel()": cancel, "in the dialog": dismiss })) {
    it(`shows a deactivated account as deactivated, cancelled ${how}`, async () => {
      await startDeactivation(element);
      await dialogField(element, "password");
      const { done, release } = holdResponse("POST /account/deactivate");
      const changed = nextEvent(element, "matrix-account-change");
      await confirm(element);
      await done;
      await stop();
      release();
      expect((await changed).detail).to.include({ action: "deactivated" });
      await waitFor(() => textIn(element) === "This account has been deactivated.");
      expect(alice.state).to.equal("signed-out");
    });

    it(`shows a new password as changed, cancelled ${how}`, async () => {
      type(element, "password", "secret-new");
      control(element, "Change password").click();
      await dialogField(element, "password");
      const { done, release } = holdResponse("POST /account/password");
      const changed = nextEvent(element, "matrix-account-change");
      await confirm(element);
      await done;
      await stop();
      release();
      expect((await changed).detail).to.include({ section: "password", action: "changed" });
      await waitFor(() => textIn(element).includes("Your password has been changed."));
    });

    it(`shows a device as signed out, cancelled ${how}`, async () => {
      control(element, "Sign out Phone").click();
      await dialogField(element, "password");
      const { done, release } = holdResponse("POST /delete_devices");
      await confirm(element);
      await done;
      await stop();
      expect(shownDevices(element)).to.include("Phone");
      release();
      await waitFor(() => !shownDevices(element).includes("Phone"));
    });
  }

  it("shows a device with its new name", async () => {
    control(element, "Rename Phone").click();
    await waitFor(() => element.shadowRoot?.querySelector("[id^=new-name]"));
    const input = element.shadowRoot?.querySelector<HTMLInputElement>("[id^=new-name]");
    if (input) input.value = "Tablet";
    input?.dispatchEvent(new Event("input"));
    const { done, release } = holdResponse("PUT /devices/PHONE");
    control(element, "Save").click();
    await done;
    control(element, "Cancel").click();
    await settled(element);
    release();
    await waitFor(() => shownDevices(element).includes("Tablet"));
  });

  it("no longer shows an address that was removed", async () => {
    control(element, "Remove alice@mail.example").click();
    await questionOf(element);
    const { done, release } = holdResponse("POST /account/3pid/delete");
    await answer(element, "Remove");
    await done;
    await cancel();
    release();
    await waitFor(() => textIn(element).includes("Removed: alice@mail.example"));
  });

  it("keeps the user's input for changes that the homeserver rejected", async () => {
    await startDeactivation(element);
    await dialogField(element, "password");
    const events = recordEvents(element, "matrix-account-change");
    const { done, release } = holdResponse("POST /account/deactivate");
    await confirm(element, "wrong");
    await done;
    await cancel();
    release();
    await settled(element);
    expect(textIn(element)).to.contain("@alice:hs.example");
    expect(alice.state).to.equal("signed-in");
    expect(events).to.deep.equal([]);
  });

  it("ends the session of the account that was deactivated, not of the one that is shown now", async () => {
    await startDeactivation(element);
    await dialogField(element, "password");
    const { done, release } = holdResponse("POST /account/deactivate");
    await confirm(element);
    await done;
    element.session = bob;
    await waitFor(() => element.userId === "@bob:hs.example");
    release();
    await waitFor(() => alice.state === "signed-out");
    await settled(element);
    expect(bob.state).to.equal("signed-in");
    expect(textIn(element)).to.contain("@bob:hs.example");
  });
});

describe("<matrix-account>: a late response for the account that was shown before", () => {
  let element: MatrixAccountElement;
  beforeEach(async () => {
    await useAccounts();
    element = await show({ client: clientOf(alice) });
  });

  const showBob = async (): Promise<void> => {
    element.client = clientOf(bob);
    await waitFor(() => element.userId === "@bob:hs.example");
    await settled(element);
  };
  const begin: Readonly<Record<string, readonly [method: string, () => unknown]>> = {
    "the list of devices": ["getDevices", () => void element.refresh()],
    "the list of addresses": ["getThreePids", () => void element.refresh()],
    "an email": [
      "requestAdd3pidEmailToken",
      async () => {
        control(element, "Add email address").click();
        (await dialogField(element, "email")).value = "new@mail.example";
        part(await dialogOf(element), "submit").click();
      },
    ],
    "the removal of an address": [
      "deleteThreePid",
      async () => {
        control(element, "Remove alice@mail.example").click();
        await answer(element, "Remove");
      },
    ],
    "the new name of a device": [
      "setDeviceDetails",
      async () => {
        control(element, "Rename Phone").click();
        await element.updateComplete;
        control(element, "Save").click();
      },
    ],
    "the removal of a device": [
      "deleteMultipleDevices",
      () => control(element, "Sign out Phone").click(),
    ],
    "a sign-out": ["logout", () => signOutHere(element)],
  };
  const outcomes = {
    "that the session is over": () =>
      Promise.reject(Object.assign(new Error("Late"), { errcode: "M_UNKNOWN_TOKEN" })),
    "a success": () => Promise.resolve({ devices: [], threepids: [], sid: "late" }),
  };
  for (const [what, [method, start]] of Object.entries(begin)) {
    for (const [how, outcome] of Object.entries(outcomes)) {
      it(`doesn't change the account that is shown now: ${what}, ${how}`, async () => {
        let arrive!: () => void;
        const gate = new Promise<void>((resolve) => (arrive = resolve));
        const sent = new Promise<void>((notify) => {
          const value = (): Promise<unknown> => (notify(), gate.then(outcome));
          stub(element.client ?? {}, method, { value });
        });
        await start();
        await sent;
        await showBob();
        const before = textIn(element);
        expect(before).to.contain("@bob:hs.example");
        const events = recordEvents(element, "matrix-account-error", "matrix-account-change");
        arrive();
        // All that follows from it has run by then.
        await new Promise((resolve) => setTimeout(resolve));
        await settled(element);
        expect(textIn(element)).to.equal(before);
        expect(events).to.deep.equal([]);
        expect(element.shadowRoot?.querySelectorAll("uia-dialog[open]")).to.have.length(0);
      });
    }
  }

  it("doesn't mix the accounts of two homeservers while the first is looked up", async () => {
    const { asked, release } = hold(servers, "/capabilities");
    element.client = clientOf(alice);
    await asked;
    const devices = bodiesTo(servers, "GET /devices").length;
    await showBob();
    release();
    await settled(element);
    expect(element.userId).to.equal("@bob:hs.example");
    expect(bodiesTo(servers, "GET /devices")).to.have.length(devices + 1);
  });

  it("doesn't affect the dialog of another section, whose operation started later", async () => {
    control(element, "Remove alice@mail.example").click();
    await answer(element, "Remove");
    await waitFor(() => textIn(element).includes("Removed:"));
    control(element, "Sign out Phone").click();
    await dialogField(element, "password");
    await confirm(element);
    await waitFor(() => !shownDevices(element).includes("Phone"));
    type(element, "password", "secret-new");
    control(element, "Change password").click();
    await dialogField(element, "password");
    // The devices section starts another operation; its last one used the same dialog.
    await element.refresh();
    expect((await dialogOf(element)).open).to.equal(true);
    await confirm(element);
    await waitFor(() => servers.account("alice")?.password === "secret-new");
  });
});

describe("<matrix-account>: a client of the page that changes its user", () => {
  beforeEach(() =>
    useAccounts({
      accounts: Object.fromEntries(
        ["alice", "bob"].map((user) => [
          user,
          {
            password: PASSWORD,
            devices: [{ device_id: "PHONE", display_name: "Phone" }],
            emails: [`${user}@mail.example`],
          },
        ]),
      ),
    }),
  );

  /** Shows Alice's account. @returns It, and what makes the client Bob's. */
  async function showShared(sections: string) {
    let current = alice;
    const source = {
      accessToken: () => current.accessToken(),
      get user() {
        return current.user;
      },
    };
    const client = new HomeserverClient({ baseUrl: HOMESERVER, session: source });
    const element = await show({ client }, sections);
    return { element, becomeBob: () => void (current = bob) };
  }
  const changes = (): readonly string[] =>
    servers.requests.filter(({ method }) => method !== "GET").map(({ url }) => url);

  it("isn't asked to remove the same address from the other account", async () => {
    const { element, becomeBob } = await showShared("contacts");
    servers.account("bob")?.emails.push("alice@mail.example");
    control(element, "Remove alice@mail.example").click();
    becomeBob();
    await answer(element, "Remove");
    await settled(element);
    expect(changes()).to.deep.equal([]);
    expect(element.error).to.have.property("code", "settings_invalid");
  });

  it("isn't asked to sign out the other user", async () => {
    const { element, becomeBob } = await showShared("devices");
    control(element, ownSignOut(element)).click();
    becomeBob();
    await answer(element, "Sign out");
    await settled(element);
    expect(changes()).to.deep.equal([]);
  });

  it("isn't asked to rename the other user's device", async () => {
    const { element, becomeBob } = await showShared("devices");
    await openDetails(element, "Phone");
    control(element, "Rename Phone").click();
    await element.updateComplete;
    becomeBob();
    control(element, "Save").click();
    await settled(element);
    expect(changes()).to.deep.equal([]);
  });

  it("isn't sent the first user's picture", async () => {
    const { element, becomeBob } = await showShared("profile");
    await choosePicture(element, await picture("red"));
    becomeBob();
    control(element, "Save").click();
    await settled(element);
    expect(changes()).to.deep.equal([]);
  });

  it("doesn't show the other user's addresses in the first account", async () => {
    const { element, becomeBob } = await showShared("contacts");
    becomeBob();
    window.dispatchEvent(new Event("focus"));
    await untilQuiet();
    expect(textIn(element)).to.include("alice@mail.example").and.not.include("bob@mail.example");
  });

  it("control: is asked while it has the same user", async () => {
    const { element } = await showShared("contacts");
    control(element, "Remove alice@mail.example").click();
    await answer(element, "Remove");
    await waitFor(() => servers.account("alice")?.emails.length === 0);
  });
});

describe("<matrix-account>: a wrong email address, whose owner follows the link", () => {
  beforeEach(() => useAccounts({ accounts: { alice: PASSWORD, bob: PASSWORD } }));

  const follow = (index: number): void => {
    servers.approve(servers.messages[index]?.link ?? "");
    window.dispatchEvent(new Event("focus"));
  };

  /** The user has confirmed the request, and then wants to change the address. */
  async function change(): Promise<MatrixAccountElement> {
    const element = await show({ session: alice }, "contacts");
    control(element, "Add email address").click();
    await submitInDialog(element, "email", "wrong@mail.example");
    await confirm(element);
    const dialog = await dialogOf(element);
    await waitFor(() => textIn(dialog).includes("Open the link"));
    dialog.session?.changeAddress();
    await dialogField(element, "email");
    return element;
  }

  it("is not added once the user wants to change it", async () => {
    await change();
    follow(0);
    await untilQuiet();
    expect(servers.account("alice")?.emails).to.deep.equal([]);
  });

  it("is not added while the message to the other address is requested", async () => {
    const element = await change();
    const { asked, release } = hold(servers, "POST /requestToken");
    await submitInDialog(element, "email", "right@mail.example");
    await asked;
    follow(0);
    await untilQuiet();
    expect(servers.account("alice")?.emails).to.deep.equal([]);
    release();
    await waitFor(() => servers.messages.length === 2);
  });

  it("is not added after that message is rejected, but the other address is, later", async () => {
    const element = await change();
    servers.refuse("/requestToken", 400, { errcode: "M_THREEPID_DENIED" });
    await submitInDialog(element, "email", "right@mail.example");
    const dialog = await dialogOf(element);
    await waitFor(() => dialog.textContent.includes("Not allowed by this homeserver."));
    follow(0);
    await untilQuiet();
    expect(servers.account("alice")?.emails).to.deep.equal([]);
    part(dialog, "submit").click();
    await waitFor(() => textIn(dialog).includes("Open the link"));
    follow(1);
    await waitFor(() => servers.account("alice")?.emails.length);
    expect(servers.account("alice")?.emails).to.deep.equal(["right@mail.example"]);
  });
});

describe("<matrix-account>: refresh()", () => {
  beforeEach(() => useAccounts());

  it("loads the account that the page has set before the call", async () => {
    const element = await show({ session: alice });
    element.session = bob;
    await element.refresh();
    expect(element.userId).to.equal("@bob:hs.example");
    expect(element.devices.map(({ device_id }) => device_id)).to.deep.equal([bob.user.deviceId]);
  });
});
