// docs/development/screen-readers.md lists the texts that a screen reader reads, and those it reads unasked.
// These tests keep that page true.
import { aTimeout, expect } from "@open-wc/testing";
import { executeServerCommand } from "@web/test-runner-commands";
import { AuthType, type AuthDict } from "matrix-auth-elements";
import { visibleElements } from "./modes.js";
import {
  STATES,
  UNREACHABLE,
  WRONG,
  WRONG_PASSWORD,
  acceptPasswords,
  accountPage,
  begin,
  callback,
  clickIn,
  confirmIn,
  dialog,
  end,
  failOnce,
  fillIn,
  frame,
  goOffline,
  login,
  matrix,
  press,
  submitPassword,
  succeedNow,
  withPopup,
} from "../matrix/states.js";
import { inState } from "../support/element.js";
import { waitFor } from "../support/wait-for.js";

const TITLED = Object.entries(STATES).flatMap(([tag, states]) =>
  states.map(({ name, show }) => ({ title: `${tag}: ${name}`, show })),
);

/** A node of the tree that the browser gives to a screen reader. */
interface Node {
  readonly role: string;
  readonly name: string;
  readonly value?: string;
  readonly description?: string;
  readonly focused?: boolean;
  readonly required?: boolean;
  readonly readonly?: boolean;
  readonly disabled?: boolean;
  readonly busy?: boolean;
  readonly checked?: boolean;
  readonly invalid?: string;
  readonly children?: readonly Node[];
}

const NAMES: Readonly<Record<string, string>> = { StaticText: "text", Iframe: "frame" };
/** The children of these repeat their text. */
const LEAVES = ["button", "link", "combobox", "textbox"];

/** Yields a line for each node, indented by its depth. */
function* lines(node: Node, depth = 0): Generator<string> {
  const { role, name, children = [], value, description } = node;
  const region = role === "status" || role === "alert";
  if (region && children.length === 0) return;
  const silent = role === "generic" && !node.busy;
  const facts = [
    value && `“${value.trim()}”`,
    node.checked === false && "not checked",
    node.readonly && "read-only",
    node.required && "required",
    node.invalid === "true" && "invalid",
    node.disabled && "unavailable",
    node.busy && "busy",
    node.focused && "focused",
    description && `described as “${description}”`,
  ].filter(Boolean);
  // A countdown goes on while the browser reports the tree.
  const fixed = name.trim().replace(/\b0:[0-3]\d\b/, "0:30");
  const said = [NAMES[role] ?? role, fixed && `“${fixed}”`].filter(Boolean).join(" ");
  if (!silent) yield "  ".repeat(depth) + [said, ...facts].join(", ");
  if (LEAVES.includes(role)) return;
  for (const child of children) yield* lines(child, silent ? depth : depth + 1);
}

/** The accessibility tree without the test page's heading, which is inert behind a dialog. */
async function tree(): Promise<readonly string[]> {
  const root = await executeServerCommand<Node, undefined>("accessibility-tree");
  const [top] = root.children ?? [];
  const { children: own = [] } = top?.role === "main" ? top : root;
  return own.filter(({ name }) => name !== document.title).flatMap((node) => [...lines(node)]);
}

/** Records the texts of live regions, which a screen reader reads unasked, in their order. */
function listen(): { readonly said: readonly string[]; readonly stop: () => void } {
  const said: string[] = [];
  const last = new Map<Element, string>();
  const look = (): void => {
    for (const region of visibleElements()) {
      const { role } = region;
      if (role !== "status" && role !== "alert") continue;
      // A busy region is announced once it is no longer busy.
      if (region.closest("[aria-busy=true]")) continue;
      const text = textOf(region);
      const before = last.get(region);
      last.set(region, text);
      // A screen reader may skip the first text of a new region, unless the region is an alert.
      const isNews = before === undefined ? role === "alert" : text !== before;
      if (text && isNews) said.push(`${role === "alert" ? "assertively" : "politely"}: ${text}`);
    }
  };
  const observer = new MutationObserver(() => {
    observeAll();
    look();
  });
  const observeAll = (): void => {
    const options = { attributes: true, characterData: true, childList: true, subtree: true };
    for (const root of [document, ...shadowRoots()]) observer.observe(root, options);
  };
  look();
  said.length = 0;
  observeAll();
  return { said, stop: () => observer.disconnect() };
}

function* shadowRoots(root: ParentNode = document): Generator<ShadowRoot> {
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    if (!shadowRoot) continue;
    yield shadowRoot;
    yield* shadowRoots(shadowRoot);
  }
}

/** The text as a screen reader reads it, including slotted text. */
function textOf(node: globalThis.Node): string {
  if (node instanceof Text) return node.data;
  if (node instanceof HTMLElement && node.hidden) return "";
  const inside =
    node instanceof HTMLSlotElement && node.assignedNodes().length > 0
      ? node.assignedNodes()
      : node.childNodes;
  return [...inside].map(textOf).join(" ").replace(/\s+/g, " ").trim();
}

/** Shows the state before a change, and returns the function that makes the change. */
type Scenario = () => Promise<() => Promise<unknown>>;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async "matrix-account: the name of a device could not be saved, then it was"() {
    const element = await accountPage("ready");
    await clickIn(element, ["Details Laptop", "Rename Laptop"], "[id^=new-name]");
    return async () => {
      failOnce("/devices/LAPTOP");
      await clickIn(element, ["Save"], WRONG);
      await clickIn(element, ["Save"], "[id^=rename]");
    };
  },
  async "matrix-account: a name that is missing, then another one"() {
    const element = await accountPage("ready");
    await clickIn(element, ["Change name"], "#display-name");
    const field = element.shadowRoot?.querySelector<HTMLInputElement>("#display-name");
    const save = async (name: string, comes: string): Promise<void> => {
      if (field) field.value = name;
      field?.dispatchEvent(new Event("input"));
      await clickIn(element, ["Save"], comes);
    };
    return async () => {
      await save("", WRONG);
      await save("Alice Example", ".done");
    };
  },
  async "matrix-account: a device signed out"() {
    const element = await accountPage("ready");
    await clickIn(element, ["Sign out Laptop"], "uia-dialog:state(awaiting-input)");
    return () => confirmIn(element, ".done");
  },
  async "matrix-login: a wrong password, then the right one"() {
    const element = await matrix("ready", WRONG_PASSWORD);
    return async () => {
      await submitPassword(element, "error");
      acceptPasswords();
      await submitPassword(element, "success");
    };
  },
  async "matrix-login: an unreachable homeserver, tried again"() {
    const element = await matrix("error", UNREACHABLE);
    return async () => {
      await press(element, "[part=continue]", "[role=status] .visually-hidden");
      await inState(element, "error");
    };
  },
  async "oidc-login: a click, and no network"() {
    const element = await login("ready");
    return async () => {
      goOffline();
      await element.login();
    };
  },
  async "oidc-callback: no network, tried again"() {
    const element = await callback("error");
    return async () => {
      succeedNow();
      await press(element, "[part=retry]", "[part=success]");
    };
  },
  async "uia-dialog: a wrong password, then the right one, then a token"() {
    const validate = ({ password }: AuthDict) =>
      password === "right" ? undefined : { errcode: "M_FORBIDDEN", error: "no" };
    const element = await dialog([AuthType.Password, AuthType.RegistrationToken], {
      validators: { [AuthType.Password]: validate },
    });
    return async () => {
      await fillIn(element, { password: "wrong" }, WRONG);
      await fillIn(element, { password: "right" }, "[name=token]");
    };
  },
  async "uia-dialog: an address, whose message is sent"() {
    const element = await dialog([AuthType.Email]);
    return async () => {
      await fillIn(element, { email: "alice@example.org" }, ".others");
      await press(element, "[part=submit]", "[part=notice]");
    };
  },
  async "uia-fallback-frame: a page that opens"() {
    const element = await withPopup(frame());
    return async () => {
      await press(element, "[part=open]", "[part=finished]");
    };
  },
};

/** The page's claims by title: the lines of each block that starts with `# title`. */
const page = await (await fetch("/docs/development/screen-readers.md")).text();
const CLAIMS = [...page.matchAll(/```text\n# (.+)\n([^`]*)```/g)].map(
  ([, title = "", body = ""]) => [title, body.trimEnd().split("\n")] as const,
);

describe("docs/development/screen-readers.md", () => {
  beforeEach(begin);
  afterEach(end);

  for (const [title, claim] of CLAIMS) {
    const scenario = SCENARIOS[title];
    const state = TITLED.find((each) => each.title === title);
    it(`${title}: the output is that of docs/development/screen-readers.md`, async () => {
      if (!scenario && !state) throw new Error("There is no such thing.");
      if (scenario) return expect(await whatIsSaid(scenario)).to.deep.equal(claim);
      await state?.show();
      let current: readonly string[] = [];
      // The browser reports a change with a delay.
      const isTrue = waitFor(async () => String((current = await tree())) === String(claim));
      return isTrue.catch(() => expect(current).to.deep.equal(claim));
    });
  }

  it("has every element and every announcement", () => {
    const titles = CLAIMS.map(([title]) => title);
    expect(titles).to.include.members(Object.keys(SCENARIOS));
    for (const [tag, least] of Object.entries({
      "matrix-account": 5,
      "matrix-login": 8,
      "oidc-login": 4,
      "oidc-callback": 4,
    })) {
      expect(titles.filter((title) => title.startsWith(tag)).length, tag).to.be.at.least(least);
    }
  });
});

async function whatIsSaid(prepare: Scenario): Promise<readonly string[]> {
  const scenario = await prepare();
  const { said, stop } = listen();
  await scenario();
  await aTimeout(0);
  stop();
  return said;
}
