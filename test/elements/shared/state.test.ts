import { expect } from "@open-wc/testing";
import "matrix-auth-elements/define";
import { AuthType, type UiaDialogElement } from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs, stub } from "../../support/stub.js";
import { fill } from "../matrix-login/fixture.js";
import { part } from "../support/element.js";
import { GOOD_PASSWORD, protectedRequest } from "../support/protected-request.js";
import { HOMESERVER, goOffline, responseUrl, useTestServers } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";

type Tag = keyof typeof RUNS;

/** A change to an element, and the state that follows. */
type Step<Element> = readonly [
  what: string,
  act: (element: Element, servers: TestServers) => unknown,
  state: string,
];

interface Run<Element> {
  /** All states that the element can have. */
  readonly states: readonly string[];
  readonly steps: readonly Step<Element>[];
}

const put = (element: Element): void => document.body.append(element);
const remove = (element: Element): void => element.remove();
const move = (element: Element): void => void put(element);
const press = (name: string) => (element: Element) => part(element, name).click();
const password = (value: string) => async (element: HTMLElement) => {
  await waitFor(() => element.querySelector("[name=password]"));
  const [field] = element.querySelectorAll<HTMLInputElement>("[name=password]");
  if (field) field.value = value;
  part(element, "submit").click();
};

let online: () => void = () => undefined;
const offline = (servers: TestServers): void => void (online = goOffline(servers));

const asksPassword = () =>
  protectedRequest([AuthType.Password], {}, { [AuthType.Password]: GOOD_PASSWORD });
let request = asksPassword();
const open = (element: UiaDialogElement): void => {
  request = asksPassword();
  element.userId = "@alice:hs.example";
  element.doRequest = request.doRequest;
  element.open = true;
};

let popup: Window | null = null;

const run = <E extends keyof HTMLElementTagNameMap>(
  states: string,
  ...steps: readonly Step<HTMLElementTagNameMap[E]>[]
): Run<HTMLElementTagNameMap[E]> => ({ states: states.split(" "), steps });

const RUNS = {
  "oidc-login": run<"oidc-login">(
    "idle preparing ready unsupported redirecting waiting error",
    ["is put on the page", put, "idle"],
    ["has no homeserver", (element) => element.login(), "error"],
    [
      "gets one",
      (element) => {
        element.homeserver = HOMESERVER;
        return element.prepare();
      },
      "ready",
    ],
    ["is clicked, and the page stays", (element) => element.login(), "ready"],
    ["is moved", move, "ready"],
    [
      "cannot reach another one",
      (element, servers) => {
        offline(servers);
        element.homeserver = "other.example";
        return element.login();
      },
      "error",
    ],
    [
      "has the first one again",
      (element) => {
        online();
        element.homeserver = HOMESERVER;
        return element.prepare();
      },
      "ready",
    ],
    ["opens a popup", (element) => ((element.mode = "popup"), element.login()), "waiting"],
    ["is cancelled", (element) => element.cancel(), "idle"],
    ["prepares again", (element) => element.prepare(), "ready"],
    ["is removed", remove, "idle"],
  ),
  "matrix-login": run<"matrix-login">(
    "idle checking ready submitting redirecting waiting completing authenticating success error",
    ["is put on the page", put, "idle"],
    ["gets a homeserver", (element) => element.check(HOMESERVER), "ready"],
    [
      "gets a wrong password",
      (element) => (fill(element, { username: "alice" }), password("wrong")(element)),
      "error",
    ],
    [
      "leaves for single sign-on, and the page stays",
      (element) => element.start("sso"),
      "redirecting",
    ],
    ["is cancelled", (element) => element.cancel(), "ready"],
    ["gets the password", password("secret-password"), "success"],
    ["is moved", move, "success"],
    ["is signed out", (element) => element.session?.signOut(), "ready"],
    ["starts again", (element) => element.reset(), "idle"],
    [
      "is removed during a look-up",
      (element) => {
        element.addEventListener("statechange", () => remove(element), { once: true });
        return element.check(HOMESERVER);
      },
      "idle",
    ],
    ["is put back", put, "ready"],
    ["is removed", remove, "ready"],
  ),
  "oidc-callback": run<"oidc-callback">(
    "idle pending success error",
    ["is put on the page", (element) => ((element.manual = true), put(element)), "idle"],
    [
      "gets a rejection",
      async (element, servers) =>
        element.complete(await responseUrl(servers, { error: "access_denied" })),
      "error",
    ],
    [
      "gets a code",
      async (element, servers) => element.complete(await responseUrl(servers)),
      "success",
    ],
    ["is moved", move, "success"],
    ["is removed", remove, "success"],
  ),
  "uia-dialog": run<"uia-dialog">(
    "idle busy awaiting-input error",
    ["is put on the page", put, "idle"],
    ["opens", open, "awaiting-input"],
    ["gets a wrong password", password("wrong"), "awaiting-input"],
    [
      "loses the connection",
      (element) => (request.failNext(new TypeError("Failed to fetch")), password("right")(element)),
      "error",
    ],
    ["is moved", move, "error"],
    ["has it again", press("submit"), "awaiting-input"],
    ["gets the password", password("right"), "idle"],
    ["makes the request again", (element) => void element.attemptAuth(), "idle"],
    ["opens for another", open, "awaiting-input"],
    ["is cancelled", (element) => element.cancel(), "idle"],
    ["opens again", open, "awaiting-input"],
    ["is removed", remove, "idle"],
  ),
  "uia-fallback-frame": run<"uia-fallback-frame">(
    "idle open blocked done",
    [
      "is put on the page",
      async (element) => {
        Object.assign(element, { stage: AuthType.Terms, session: "1", homeserver: HOMESERVER });
        put(element);
        await waitFor(() => element.shadowRoot?.querySelector("[part=open]"));
      },
      "idle",
    ],
    ["opens a page, which the browser blocks", press("open"), "blocked"],
    [
      "opens it again",
      (element) => {
        popup = document.body.appendChild(document.createElement("iframe")).contentWindow;
        element.open();
      },
      "open",
    ],
    ["is done", press("finished"), "done"],
    ["is moved", move, "done"],
    ["gets another stage", (element) => (element.stage = AuthType.Recaptcha), "idle"],
    ["opens that", (element) => element.open(), "open"],
    ["is removed", remove, "idle"],
  ),
} as const;

describe(":state()", () => {
  const stay = (event: Event): void => event.preventDefault();
  const LEAVING = ["oidc-redirect", "matrix-login-redirect"];

  beforeEach(() => {
    popup = null;
    stub(window, "open", { value: () => popup });
    sessionStorage.clear();
    for (const type of LEAVING) document.addEventListener(type, stay, { capture: true });
  });
  afterEach(() => {
    online();
    restoreStubs();
    for (const type of LEAVING) document.removeEventListener(type, stay, { capture: true });
  });

  for (const [tag, { states, steps }] of Object.entries(RUNS) as [Tag, Run<never>][]) {
    it(`matches the state of <${tag}> at every moment`, async () => {
      const servers = await useTestServers({
        login: tag === "matrix-login" ? ["sso", "password"] : ["oauth"],
        accounts: { alice: "secret-password" },
      });
      const element = document.createElement(tag);
      const differences: string[] = [];
      const compare = (when: string): void => {
        const found = states.filter((state) => element.matches(`:state(${state})`)).join();
        if (found !== element.state) differences.push(`${when}: ${element.state}, not ${found}`);
      };
      for (const [what, act, state] of steps) {
        const onChange = (): void => {
          compare(`at a statechange when it ${what}`);
        };
        element.addEventListener("statechange", onChange);
        const acting: unknown = act(element as never, servers);
        compare(`when it ${what}`);
        await acting;
        await waitFor(
          () => {
            compare(`after it ${what}`);
            return state.split(" ").includes(element.state);
          },
          () => `it ${what}: ${element.state}, not ${state}`,
        );
        await element.updateComplete;
        compare(`when it has settled after it ${what}`);
        element.removeEventListener("statechange", onChange);
      }
      element.remove();
      expect(differences).to.deep.equal([]);
    });
  }
});
