import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type {
  MatrixLoginElement,
  OidcLoginElement,
  UiaDialogElement,
  UiaDoRequestEvent,
} from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { fill, openForm, ready } from "../elements/matrix-login/fixture.ts";
import {
  control,
  confirm,
  make,
  PASSWORD,
  settled,
  signIn,
} from "../elements/matrix-account/fixture.ts";
import { inState, nextEvent, part } from "../elements/support/element.ts";
import { HOMESERVER, useTestServers } from "../elements/support/test-servers.ts";
import { waitFor } from "../elements/support/wait-for.ts";
import { restoreStubs, stub } from "../support/stub.ts";
import { comeBack, goAway } from "./support.ts";

interface Manifest {
  readonly modules: readonly {
    readonly declarations: readonly { readonly events?: readonly { readonly name: string }[] }[];
  }[];
}

const manifest = (await (await fetch("/custom-elements.json")).json()) as Manifest;

/** All events of the elements, and of the contexts and forms that they use. */
const TYPES = new Set([
  ...manifest.modules
    .flatMap(({ declarations }) => declarations)
    .flatMap(({ events = [] }) => events.map(({ name }) => name)),
  ...["context-provider", "formdata"],
]);

interface Heard {
  readonly type: string;
  readonly element: string;
  readonly detail: unknown;
}

/** What a script hears that listens to everything on the page, in both phases. */
function listenEverywhere(): readonly Heard[] {
  const heard: Heard[] = [];
  const listener = (event: Event): void => {
    const [origin] = event.composedPath();
    const element = origin instanceof Element ? origin.localName : "";
    heard.push({ type: event.type, element, detail: Reflect.get(event, "detail") });
  };
  for (const target of [window, document, document.body]) {
    for (const type of TYPES) {
      for (const capture of [true, false]) {
        target.addEventListener(type, listener, { capture, signal: listening.signal });
      }
    }
  }
  return heard;
}

let listening: AbortController;
let servers: TestServers;
beforeEach(() => (listening = new AbortController()));
afterEach(() => {
  listening.abort();
  restoreStubs();
  sessionStorage.clear();
  localStorage.clear();
});

const elementsIn = (heard: readonly Heard[]): readonly string[] => [
  ...new Set(heard.map(({ element, type }) => `${type} of ${element}`)),
];
const inner = (heard: readonly Heard[], outer: string): readonly string[] =>
  elementsIn(heard.filter(({ element }) => element !== outer));

/** A sign-in whose popup has sent its response. */
async function approveInPopup(button: OidcLoginElement): Promise<void> {
  await inState(button, "waiting");
  const page = part<HTMLAnchorElement>(button, "link").href;
  const state = new URL(page).searchParams.get("state") ?? "";
  const channel = new BroadcastChannel(`matrix-auth-elements:${state}`);
  channel.postMessage({ state, response: servers.approve(page) });
  channel.close();
}

/** The dialog that is open in the shadow root of another element. */
const dialogIn = async (element: Element): Promise<UiaDialogElement> => {
  const dialog = await waitFor(() =>
    element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog[open]"),
  );
  if (!dialog) throw new Error("no dialog");
  return dialog;
};

const submitAccount = (element: MatrixLoginElement): void => {
  fill(element, { username: "carol", password: "a-new-password", repeat: "a-new-password" });
  part(element, "submit").click();
};
const register = async (element: MatrixLoginElement): Promise<void> => {
  await openForm(element, "register");
  submitAccount(element);
};

describe("The page receives no event of an element inside another one", () => {
  it("in a registration, whose uia-success contains the tokens", async () => {
    servers = await useTestServers({ login: ["password"] });
    servers.uia.registrationFlows = [["m.login.registration_token"]];
    const heard = listenEverywhere();
    const element = await ready();
    await register(element);
    const dialog = await dialogIn(element);
    const token = await waitFor(() => dialog.querySelector<HTMLInputElement>("[name=token]"));
    if (token) token.value = "registration-token";
    part(dialog, "submit").click();
    await inState(element, "success");
    expect(inner(heard, "matrix-login")).to.deep.equal([]);
    expect(JSON.stringify(heard)).to.not.contain("access-token");
  });

  it("in a registration that fails, or is cancelled", async () => {
    servers = await useTestServers({ login: ["password"] });
    servers.uia.registrationFlows = [["m.login.recaptcha"]];
    stub(window, "open", { value: () => null });
    const heard = listenEverywhere();
    const element = await ready();
    await register(element);
    const dialog = await dialogIn(element);
    const frame = await waitFor(() => dialog.shadowRoot?.querySelector("uia-fallback-frame"));
    (await waitFor(() => frame?.shadowRoot?.querySelector<HTMLElement>("[part=open]")))?.click();
    dialog.cancel();
    await inState(element, "ready");
    servers.refuse("POST /register", 403, { errcode: "M_FORBIDDEN", error: "Closed" });
    submitAccount(element);
    await inState(element, "error");
    expect(inner(heard, "matrix-login")).to.deep.equal([]);
  });

  it("in a popup, whose oidc-success contains the tokens", async () => {
    servers = await useTestServers();
    stub(window, "open", { value: () => null });
    const heard = listenEverywhere();
    const element = await ready(
      html`<matrix-login homeserver=${HOMESERVER} mode="popup"></matrix-login>`,
    );
    await element.start("oauth");
    const button = element.shadowRoot?.querySelector<OidcLoginElement>("oidc-login");
    if (button) await approveInPopup(button);
    await inState(element, "success");
    expect(inner(heard, "matrix-login")).to.deep.equal([]);
    expect(JSON.stringify(heard.map(({ detail }) => detail))).to.not.contain("access-token");
  });

  it("in a popup that is cancelled, or fails", async () => {
    servers = await useTestServers();
    stub(window, "open", { value: () => null });
    const heard = listenEverywhere();
    const element = await ready(
      html`<matrix-login homeserver=${HOMESERVER} mode="popup"></matrix-login>`,
    );
    await element.start("oauth");
    element.cancel();
    servers.refuse("/register", 403, { error: "invalid_client_metadata" }, { times: 9 });
    await element.start("oauth");
    await inState(element, "error");
    expect(inner(heard, "matrix-login")).to.deep.equal([]);
  });

  it("in an account whose owner confirms a change", async () => {
    servers = await useTestServers({
      login: ["password"],
      accounts: {
        alice: { password: PASSWORD, devices: [{ device_id: "OTHER", display_name: "Phone" }] },
      },
    });
    const heard = listenEverywhere();
    const element = await make({ session: signIn(servers), sections: "devices" });
    await settled(element);
    control(element, "Sign out Phone").click();
    await confirm(element);
    await waitFor(() => servers.account("alice")?.devices.length === 1);
    await settled(element);
    expect(inner(heard, "matrix-account")).to.deep.equal([]);
  });
});

describe("The page receives", () => {
  it("the outer element's success, once", async () => {
    servers = await useTestServers({ login: ["password"] });
    const element = await ready();
    const success = nextEvent(window, "matrix-login-success");
    await register(element);
    expect((await success).detail).to.include({ method: "registration" });
  });

  it("no token in the data that analytics can read from that event", async () => {
    servers = await useTestServers({ login: ["password"] });
    const element = await ready();
    const success = nextEvent(window, "matrix-login-success");
    await register(element);
    const { detail } = await success;
    const token = await detail.session.accessToken();
    const { session, client } = detail;
    const members = [detail, session, client].flatMap((each) => Object.values({ ...each }));
    const texts = [JSON.stringify(detail), ...members.map(String), element.outerHTML];
    expect(texts.join(), "a token").to.not.contain(token);
    expect(token).to.not.equal("");
  });

  for (const method of ["oauth", "sso", "password"] as const) {
    it(`no token, code, verifier, or password in the events of a sign-in with ${method}`, async () => {
      const password = "secret-password";
      servers = await useTestServers({ login: [method], accounts: { alice: password } });
      const heard = listenEverywhere();
      const page = html`<matrix-login homeserver=${HOMESERVER} persist="local"></matrix-login>`;
      const secrets = [password];
      const success = nextEvent(document, "matrix-login-success");
      if (method === "password") {
        const element = await ready();
        fill(element, { username: "alice", password });
        part(element, "submit").click();
      } else {
        const back = await goAway(servers, page, "matrix-login");
        const flow = Object.values({ ...sessionStorage }).join();
        secrets.push(...(/"codeVerifier":"([^"]+)/.exec(flow)?.slice(1) ?? []));
        secrets.push(...(/(?:code|loginToken)=([^&]+)/.exec(back)?.slice(1) ?? []));
        expect(secrets).to.have.length(method === "oauth" ? 3 : 2);
        await comeBack(back, page);
      }
      const { session } = (await success).detail;
      secrets.push(await session.accessToken());
      expect(heard.length).to.be.above(3);
      for (const { type, detail } of heard) {
        const texts = JSON.stringify([detail, ...Object.values(Object(detail) as object)]);
        for (const secret of secrets) expect(texts, type).not.to.contain(secret);
      }
      session.close();
    });
  }

  /** A component of the page, with an element of the library in its shadow root. */
  async function inComponent(tag: string): Promise<Element> {
    const component = await fixture(html`<div></div>`);
    const element = document.createElement(tag);
    component.attachShadow({ mode: "open" }).append(element);
    return element;
  }

  it("<oidc-login> in a component's shadow root", async () => {
    servers = await useTestServers();
    stub(window, "open", { value: () => null });
    const element = (await inComponent("oidc-login")) as OidcLoginElement;
    Object.assign(element, { mode: "popup", homeserver: HOMESERVER });
    const success = nextEvent(document, "oidc-success");
    await element.login();
    await approveInPopup(element);
    expect((await success).detail.tokenResponse.access_token).to.match(/^access-token/);
  });

  for (const [where, place] of [
    ["in a component's shadow root", () => inComponent("uia-dialog")],
    [
      "in a slot of another element",
      async () => {
        const element = await fixture(html`<matrix-login><uia-dialog></uia-dialog></matrix-login>`);
        return element.firstElementChild ?? element;
      },
    ],
  ] as const) {
    it(`<uia-dialog> ${where}`, async () => {
      servers = await useTestServers();
      const dialog = (await place()) as UiaDialogElement;
      const success = nextEvent(document, "uia-success");
      await dialog.authenticate(() => Promise.resolve("done"));
      expect((await success).detail).to.deep.equal({ result: "done" });
    });
  }
});

describe("An event that asks the page to send a request", () => {
  const challenge = {
    httpStatus: 401,
    data: { session: "s", flows: [{ stages: ["m.login.password"] }] },
  };
  const isChallenged = (event: UiaDoRequestEvent): boolean => {
    const isFirst = event.detail.authData?.["password"] === undefined;
    if (isFirst) event.respondWith(Promise.reject(Object.assign(new Error(), challenge)));
    return isFirst;
  };
  /** Sends a password with a page's listener. */
  async function send(listener: (event: UiaDoRequestEvent) => void, capture: boolean) {
    const dialog = await fixture<UiaDialogElement>(
      html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`,
    );
    dialog.addEventListener("uia-do-request", listener, { capture });
    const result = dialog.attemptAuth();
    const input = await waitFor(() => dialog.querySelector<HTMLInputElement>("[type=password]"));
    if (input) input.value = "the-password";
    part(dialog, "submit").click();
    return result;
  }

  it("hides the password from listeners elsewhere on the page", async () => {
    const heard = listenEverywhere();
    const listener = (event: UiaDoRequestEvent): void => {
      if (!isChallenged(event)) event.respondWith("done");
    };
    expect(await send(listener, false)).to.equal("done");
    expect(elementsIn(heard)).to.contain("uia-do-request of uia-dialog");
    expect(JSON.stringify(heard)).to.not.contain("the-password");
  });

  for (const capture of [false, true]) {
    it(`has the password for a listener on the dialog, even later, with capture: ${capture}`, async () => {
      const passwordLater = async ({ detail, ...event }: UiaDoRequestEvent): Promise<unknown> => {
        await Promise.resolve(event);
        return detail.authData?.["password"];
      };
      const afterTask = async (event: UiaDoRequestEvent): Promise<unknown> => {
        await new Promise((resolve) => setTimeout(resolve));
        return event.detail.authData?.["password"];
      };
      const listener = (event: UiaDoRequestEvent): void => {
        if (isChallenged(event)) return;
        event.respondWith(Promise.all([passwordLater(event), afterTask(event)]));
      };
      expect(await send(listener, capture)).to.deep.equal(["the-password", "the-password"]);
    });
  }
});
