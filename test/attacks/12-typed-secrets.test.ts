// The next user of the same browser, and other scripts: what a user has typed must not stay in the page.
import { expect, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import { sendKeys } from "@web/test-runner-commands";
import type { MatrixLoginElement, UiaDialogElement } from "matrix-auth-elements";
import { LegacySession } from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import {
  answer,
  make as makeAccount,
  settled,
  signIn,
} from "../elements/matrix-account/fixture.js";
import { field, fill, openForm, ready } from "../elements/matrix-login/fixture.js";
import { part } from "../elements/support/element.js";
import {
  bodiesTo,
  goOffline,
  hold,
  HOMESERVER,
  useTestServers,
} from "../elements/support/test-servers.js";
import { waitFor } from "../elements/support/wait-for.js";
import { restoreStubs } from "../support/stub.js";

const SECRET = "correct horse 4711";

let servers: TestServers;

/** A form with the secret typed into its fields. */
interface Form {
  readonly element: HTMLElement & {
    readonly state: string;
    cancel(): void;
    readonly updateComplete: Promise<boolean>;
  };
  /** The fields that have the secret. */
  readonly fields: readonly HTMLInputElement[];
  submit(): void;
  /** The end of the path that the submission is sent to, with its method. */
  readonly endpoint: string;
  /** Submits something wrong: the homeserver's response. */
  readonly wrong: readonly [status: number, errcode: string];
}

const login = () => ready(html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`);

async function inDialog(element: HTMLElement, name: string): Promise<HTMLInputElement> {
  const dialogIn = (): UiaDialogElement | null | undefined =>
    element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog[open]");
  const input = await waitFor(() => dialogIn()?.querySelector<HTMLInputElement>(`[name=${name}]`));
  const dialog = dialogIn();
  if (!input || !dialog) throw new Error("no field");
  await waitFor(() => dialog.session?.busy === false);
  return input;
}

const submitDialog = (element: HTMLElement): void => {
  const dialog = element.shadowRoot?.querySelector("uia-dialog");
  if (dialog) part(dialog, "submit").click();
};

async function register(flow: string): Promise<Awaited<ReturnType<typeof login>>> {
  servers.uia.registrationFlows = [[flow]];
  const element = await login();
  await openForm(element, "register");
  fill(element, { username: "carol", password: "another secret", repeat: "another secret" });
  part(element, "submit").click();
  return element;
}

const FORMS: Readonly<Record<string, () => Promise<Form>>> = {
  async "<matrix-login>, its password"() {
    const element = await login();
    fill(element, { username: "alice", password: SECRET });
    const submit = (): void => part(element, "submit").click();
    const fields = [field(element, "password")];
    return { element, fields, submit, endpoint: "POST /login", wrong: [403, "M_FORBIDDEN"] };
  },
  async "<matrix-login>, its registration"() {
    const element = await login();
    await openForm(element, "register");
    fill(element, { username: "carol", password: SECRET, repeat: SECRET });
    const submit = (): void => part(element, "submit").click();
    const fields = [field(element, "password"), field(element, "repeat")];
    return { element, fields, submit, endpoint: "POST /register", wrong: [400, "M_WEAK_PASSWORD"] };
  },
  async "<matrix-login>, its reset"() {
    const element = await login();
    await openForm(element, "forgot");
    fill(element, { email: "alice@mail.example", password: SECRET, repeat: SECRET });
    const submit = (): void => part(element, "submit").click();
    const fields = [field(element, "password"), field(element, "repeat")];
    const endpoint = "POST /account/password";
    return { element, fields, submit, endpoint, wrong: [400, "M_PASSWORD_TOO_SHORT"] };
  },
  async "<matrix-account>, its new password"() {
    const element = await makeAccount({ session: signIn(servers), sections: "password" });
    await settled(element);
    const input = element.querySelector<HTMLInputElement>("[name=password]");
    if (!input) throw new Error("no field");
    input.value = SECRET;
    const submit = (): void => part(element, "button").click();
    const endpoint = "POST /account/password";
    return { element, fields: [input], submit, endpoint, wrong: [400, "M_WEAK_PASSWORD"] };
  },
  async "<uia-dialog>, its password"() {
    const element = await makeAccount({ session: signIn(servers), sections: "deactivation" });
    await settled(element);
    element.shadowRoot?.querySelector("summary")?.click();
    const user = await waitFor(() => element.querySelector<HTMLInputElement>("[name=user]"));
    if (user) user.value = "@alice:hs.example";
    part(element, "danger").click();
    await answer(element, "Deactivate account");
    const input = await inDialog(element, "password");
    input.value = SECRET;
    const submit = (): void => submitDialog(element);
    const endpoint = "POST /account/deactivate";
    return { element, fields: [input], submit, endpoint, wrong: [401, "M_FORBIDDEN"] };
  },
  async "<uia-dialog>, its registration token"() {
    const element = await register("m.login.registration_token");
    const input = await inDialog(element, "token");
    input.value = SECRET;
    const submit = (): void => submitDialog(element);
    const endpoint = "POST /register";
    return { element, fields: [input], submit, endpoint, wrong: [401, "M_UNAUTHORIZED"] };
  },
  async "<uia-dialog>, its code"() {
    const element = await register("m.login.msisdn");
    const phone = await inDialog(element, "phone");
    const dialog = element.shadowRoot?.querySelector("uia-dialog");
    const country = dialog?.querySelector<HTMLSelectElement>("[name=country]");
    if (country) country.value = "GB";
    phone.value = "07700 900123";
    submitDialog(element);
    const input = await inDialog(element, "code");
    input.value = SECRET;
    const submit = (): void => submitDialog(element);
    const endpoint = "POST /submit_token";
    return { element, fields: [input], submit, endpoint, wrong: [400, "M_TOKEN_INCORRECT"] };
  },
};

/** Where the secret is: fields, attributes, and texts in all trees, and what outlives the page. */
function placesOfSecret(root: ParentNode = document): readonly string[] {
  const places: string[] = [];
  for (const each of root.querySelectorAll("*")) {
    if (each instanceof HTMLInputElement && each.value.includes(SECRET)) places.push(each.name);
    for (const { name, value } of each.attributes) if (value.includes(SECRET)) places.push(name);
    if (each.shadowRoot) places.push(...placesOfSecret(each.shadowRoot));
  }
  if (root.textContent?.includes(SECRET)) places.push("text");
  if (JSON.stringify(history.state ?? "").includes(SECRET)) places.push("history");
  for (const storage of [localStorage, sessionStorage]) {
    if (JSON.stringify(storage).includes(SECRET)) places.push("storage");
  }
  return places;
}

const hidePage = (persisted: boolean): void =>
  void window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted }));

/** Everything that follows from an event or a response has run by then. */
const nextTasks = async (): Promise<void> => {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setTimeout(resolve));
};

beforeEach(async () => {
  servers = await useTestServers({
    login: ["password"],
    accounts: { alice: { password: "secret-old", emails: ["alice@mail.example"] }, bob: "secret" },
  });
});
afterEach(restoreStubs);

for (const [name, open] of Object.entries(FORMS)) {
  describe(`A secret typed into ${name}`, () => {
    it("is only in its field until it is submitted", async () => {
      const { fields, element } = await open();
      expect(placesOfSecret()).to.deep.equal(fields.map((each) => each.name));
      await element.updateComplete;
      for (const input of fields) expect(input.getAttribute("value") ?? "").to.equal("");
    });

    it("is removed from the page when it is submitted, and is sent", async () => {
      const { submit, endpoint, fields } = await open();
      const { asked, release } = hold(servers, endpoint);
      const before = bodiesTo(servers, endpoint).length;
      submit();
      expect(placesOfSecret()).to.deep.equal([]);
      await asked;
      expect(placesOfSecret()).to.deep.equal([]);
      expect(JSON.stringify(bodiesTo(servers, endpoint)[before])).to.contain(SECRET);
      release();
      await nextTasks();
      for (const input of fields) expect(input.value).to.equal("");
    });

    it("is not in the page after cancel()", async () => {
      const { element, fields } = await open();
      element.cancel();
      await nextTasks();
      expect(placesOfSecret()).to.deep.equal([]);
      for (const input of fields) expect(input.value).to.equal("");
    });

    it("is not in the page once the page shows another account", async () => {
      const { element } = await open();
      const session = new LegacySession(servers.signIn("bob"), { key: "bob" });
      const isLogin = element.localName === "matrix-login";
      Object.assign(element, isLogin ? { homeserver: "https://other.example" } : { session });
      await waitFor(() => placesOfSecret().length === 0);
      session.close();
    });

    it("is not in its field once the element is removed", async () => {
      const { element, fields } = await open();
      element.remove();
      for (const input of fields) expect(input.value).to.equal("");
      await nextTasks();
      for (const input of fields) expect(input.value).to.equal("");
    });

    for (const persisted of [true, false]) {
      it(`is removed when the browser leaves the page, ${persisted ? "" : "not "}cached`, async () => {
        const { fields } = await open();
        const [button] = [...(fields[0]?.form?.querySelectorAll("[aria-controls]") ?? [])];
        (button as HTMLElement | undefined)?.click();
        hidePage(persisted);
        expect(placesOfSecret()).to.deep.equal([]);
        expect(fields.filter(({ dataset }) => "private" in dataset)).to.have.length(fields.length);
        if (button) expect(fields[0]?.type).to.equal("password");
      });
    }

    it("doesn't return after a failure if the page was left in the meantime", async () => {
      const { element, submit } = await open();
      const { asked, release } = hold(servers, "");
      submit();
      await asked;
      hidePage(true);
      goOffline(servers);
      release();
      await nextTasks();
      element.cancel();
      expect(placesOfSecret()).to.deep.equal([]);
    });

    it("doesn't return after a failure if it was cancelled in the meantime", async () => {
      const { element, submit } = await open();
      const { asked, release } = hold(servers, "");
      goOffline(servers);
      const held = hold(servers, "");
      submit();
      await Promise.race([asked, held.asked]);
      element.cancel();
      release();
      held.release();
      await nextTasks();
      expect(placesOfSecret()).to.deep.equal([]);
    });

    it("returns to its field, hidden, after a network failure", async () => {
      const { submit, fields } = await open();
      const button = fields[0]?.form?.querySelector<HTMLElement>("[aria-controls]");
      button?.click();
      goOffline(servers);
      submit();
      await waitFor(() => fields.every(({ value }) => value === SECRET));
      expect(placesOfSecret()).to.deep.equal(fields.map((each) => each.name));
      if (button) expect(fields[0]?.type).to.equal("password");
    });

    it("doesn't return to its field if the homeserver rejects it", async () => {
      const { submit, endpoint, wrong } = await open();
      const [status, errcode] = wrong;
      let isRefused = false;
      servers.override(
        endpoint,
        ({ body }) => {
          if (!body.includes(SECRET)) return undefined;
          isRefused = true;
          return Response.json(
            { errcode, ...(status === 401 && JSON.parse(challenge)) },
            { status },
          );
        },
        { times: Infinity },
      );
      const challenge = JSON.stringify({
        session: "session",
        flows: [{ stages: ["m.login.password"] }, { stages: ["m.login.registration_token"] }],
      });
      submit();
      await waitFor(() => isRefused);
      await nextTasks();
      expect(placesOfSecret()).to.deep.equal([]);
    });
  });
}

describe("A password typed into <matrix-login>", () => {
  const typeFor = async (userId: string | undefined, shows = false): Promise<HTMLInputElement> => {
    const element = await ready(
      html`<matrix-login homeserver=${HOMESERVER} .userId=${userId}></matrix-login>`,
    );
    const input = field(element, "password");
    if (shows) input.form?.querySelector<HTMLElement>("[aria-controls]")?.click();
    input.focus();
    await sendKeys({ type: SECRET });
    return input;
  };
  const loginOf = ({ form }: HTMLInputElement) => form?.parentElement as MatrixLoginElement;

  for (const [from, to] of [
    ["@alice:hs.example", "@bob:hs.example"],
    ["@alice:hs.example", undefined],
    [undefined, "@bob:hs.example"],
  ] as const) {
    it(`for ${from ?? "no user"} is removed if the page changes user-id to ${to ?? "no user"}`, async () => {
      const element = loginOf(await typeFor(from));
      element.userId = to;
      await element.updateComplete;
      expect(field(element, "username").readOnly).to.equal(to !== undefined);
      expect(placesOfSecret()).to.deep.equal([]);
    });

    it(`for ${from ?? "no user"} is not restored for ${to ?? "no user"} after a network failure`, async () => {
      const element = loginOf(await typeFor(from));
      fill(element, from ? {} : { username: "alice" });
      let fail!: (response: Response) => void;
      const failure = new Promise<Response>((resolve) => (fail = resolve));
      servers.override("POST /login", () => failure);
      part(element, "submit").click();
      await waitFor(() => bodiesTo(servers, "POST /login").length > 0);
      element.userId = to;
      fail(Response.error());
      await waitFor(() => element.state === "error");
      expect(element.error).to.have.property("code", "network_error");
      await nextTasks();
      expect(placesOfSecret()).to.deep.equal([]);
    });
  }

  it("control: stays in its field if the page changes something else", async () => {
    const element = loginOf(await typeFor("@alice:hs.example"));
    Object.assign(element, { deviceId: "DEVICE", persist: "local", lang: "de" });
    await element.updateComplete;
    expect(placesOfSecret()).to.deep.equal(["password"]);
  });

  const undo = async (): Promise<void> => {
    await sendKeys({ down: "Control" });
    await sendKeys({ press: "z" });
    await sendKeys({ up: "Control" });
  };
  const ends: Readonly<Record<string, (element: MatrixLoginElement) => unknown>> = {
    "its submission": async (element) => {
      fill(element, { username: "alice" });
      part(element, "submit").click();
      await waitFor(() => element.state === "error");
    },
    "cancel()": (element) => element.cancel(),
    "pagehide, as the page cache brings it back": () => hidePage(true),
  };
  for (const [what, end] of Object.entries(ends)) {
    for (const shows of [false, true]) {
      it(`can't be restored with Undo after ${what}, ${shows ? "shown" : "hidden"}`, async () => {
        const input = await typeFor(undefined, shows);
        await end(loginOf(input));
        input.focus();
        for (let times = 0; times < 5; times += 1) await undo();
        expect(placesOfSecret()).to.deep.equal([]);
      });
    }
  }

  it("control: can be restored with Undo while the user types it", async () => {
    const input = await typeFor(undefined);
    await undo();
    expect(input.value).not.to.equal(SECRET);
  });
});

describe("A secret of the page", () => {
  it("isn't in an attribute, and can be corrected after the homeserver has rejected it", async () => {
    servers.uia.flows = [["m.login.registration_token"]];
    const dialog = document.createElement("uia-dialog");
    document.body.append(dialog);
    dialog.inputs = { registrationToken: SECRET };
    const client = await import("matrix-auth-elements/core").then(
      ({ HomeserverClient }) =>
        new HomeserverClient({ baseUrl: HOMESERVER, session: signIn(servers) }),
    );
    const done = dialog.authenticate((auth) => client.deleteMultipleDevices(["X"], auth));
    done.catch(() => undefined);
    const input = await waitFor(() => dialog.querySelector<HTMLInputElement>("[name=token]"));
    expect(placesOfSecret()).to.deep.equal(["token"]);
    expect(input?.value).to.equal(SECRET);
    dialog.remove();
    expect(input?.value).to.equal("");
  });
});
