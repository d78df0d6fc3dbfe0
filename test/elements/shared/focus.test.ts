// What a page's `element.focus()` and `autofocus` focus.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import { restoreStubs } from "../../support/stub.js";
import { STATES, begin, end, showAt, shownElement } from "../matrix/states.js";
import { focusedIn } from "../matrix/page.js";
import { make, typeHomeserver } from "../matrix-login/fixture.js";
import { HOMESERVER, useTestServers } from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";

/** By element and state, the name, the part, or the ID of what the user does first. */
const FIRST: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "matrix-login": {
    "idle, with suggestions": "homeserver",
    "ready, password": "username",
    "ready, password with a user ID": "password",
    "ready, OAuth 2.0": "button",
    "ready, single sign-on": "provider",
    "error: an unreachable homeserver": "homeserver",
    registration: "username",
    success: "",
  },
  "matrix-account": {
    idle: "",
    "everything that a homeserver offers": "button",
    "error: no network": "retry",
  },
  "oidc-login": { ready: "button", disabled: "" },
  "oidc-callback": { pending: "", "error: no network, to be tried again": "retry" },
  "uia-dialog": { password: "password", terms: "policy-0" },
  "uia-fallback-frame": { idle: "open", "in a frame": "frame", "no page": "" },
};

const show = async (tag: string, name: string): Promise<HTMLElement> => {
  await STATES[tag]?.find((each) => each.name === name)?.show();
  const element = shownElement();
  expect(element.localName).to.equal(tag);
  return element;
};

const focusName = (element: HTMLElement): string => {
  const place = focusedIn(element);
  return (
    place?.getAttribute("name") ??
    place?.getAttribute("part") ??
    place?.id.replace(/^uia-fields-\d+-/, "") ??
    ""
  );
};

describe("The page's focus", () => {
  beforeEach(begin);
  afterEach(end);

  for (const [tag, states] of Object.entries(FIRST)) {
    for (const [nth, [name, first]] of Object.entries(states).entries()) {
      const mode = (["open", "closed"] as const)[nth];
      it(`goes to ${first || "nothing"} of <${tag}>${mode ? ` in a shadow tree (${mode})` : ""}: ${name}`, async () => {
        if (mode) showAt((page) => page.attachShadow({ mode }));
        const element = await show(tag, name);
        await untilQuiet();
        (focusedIn(element) as HTMLElement | null)?.blur();
        element.focus();
        expect(focusName(element)).to.equal(first);
      });
    }
  }

  it("goes nowhere before the element is in the page", () => {
    for (const tag of Object.keys(FIRST)) document.createElement(tag).focus();
    expect(document.activeElement).to.equal(document.body);
  });

  it("stays where it is in the element", async () => {
    const element = await show("matrix-login", "ready, password");
    const password = element.querySelector<HTMLElement>("[name=password]");
    password?.focus();
    element.focus();
    expect(focusName(element)).to.equal("password");
  });
});

describe("With autofocus", () => {
  beforeEach(() => useTestServers({ login: ["password"] }));
  afterEach(restoreStubs);

  it("<matrix-login> takes the focus as soon as it has a field", async () => {
    const element = await make({ autofocus: "", "homeserver-locked": "" });
    await waitFor(() => focusName(element) === "username");
  });

  it("an element takes the focus once", async () => {
    const element = await make({ autofocus: "", homeserver: undefined });
    await waitFor(() => focusName(element) === "homeserver");
    (focusedIn(element) as HTMLElement).blur();
    typeHomeserver(element, HOMESERVER);
    await waitFor(() => element.querySelector("[name=password]"));
    await untilQuiet();
    expect(document.activeElement).to.equal(document.body);
  });

  it("an element does not take the focus from something else", async () => {
    const other = await fixture<HTMLElement>(html`<input />`);
    other.focus();
    const element = await make({ autofocus: "" });
    await waitFor(() => element.querySelector("[name=password]"));
    await untilQuiet();
    expect(document.activeElement).to.equal(other);
  });
});
