// The pages of the homeserver and its provider: to sign in, complete a stage, or confirm an address.
import { find, h } from "./dom.js";
import { kept, stateOf } from "./state.js";
import { FOLDER, startServers } from "./servers.js";

const main = find("main");
// A static host adds a slash to a folder's page.
const url = location.href.replace(/(\/index\.html|\/)(?=[?#]|$)/, "");
const path = url.slice(FOLDER.length).split(/[?#]/)[0] ?? "";
const action = new URL(url).searchParams.get("action");
const { servers } = await startServers(stateOf(kept()));

function show(title: string, ...content: (Node | string)[]): void {
  document.title = title;
  main.replaceChildren(h("h1", {}, title), ...content);
}

function button(text: string, action: () => void): HTMLButtonElement {
  const made = h("button", { type: "button" }, text);
  made.addEventListener("click", () => {
    try {
      action();
    } catch (error) {
      show("This does not work", h("p", {}, error instanceof Error ? error.message : ""));
    }
  });
  return made;
}

/** Returns to the preview only, because the redirect URI may be from an attacker's link. */
function go(next: string): void {
  if (next.startsWith(FOLDER)) location.replace(next);
  else show("You would now be at", h("p", {}, h("code", {}, next.split(/[?#]/)[0] ?? "")));
}

/** The actions of the provider's account page. */
const ACCOUNT_ACTIONS: Readonly<Record<string, readonly [text: string, done: string]>> = {
  "org.matrix.device_delete": ["Sign out the device", "The device is signed out"],
  "org.matrix.account_deactivate": ["Deactivate the account", "The account is deactivated"],
};

/** Shows a step, which the button completes. */
function showStep(title: string, text: string, done: string, then = () => {}): void {
  const complete = () => {
    servers.approve(url);
    show(done, h("p", {}, "You can close this page."));
    then();
  };
  show(title, note, button(text, complete));
}

/** Sends the specification's message to the page's opener. */
function tellOpener(): void {
  for (const other of [window.opener, window.parent]) {
    if (other && other !== window) other.postMessage("authDone", "*");
  }
}

const NOTE = "This page stands for the one of a real server: nothing leaves your browser.";
const note = h("p", {}, NOTE);

if (path === "provider.html" || path.includes("/login/sso/redirect")) {
  show(
    "Sign in to Example ID",
    note,
    ...["alice", "bob"].map((user) =>
      button(`Continue as ${user}`, () => go(servers.approve(url, { user }))),
    ),
    ...(path === "provider.html" ? [button("Cancel", () => go(servers.decline(url)))] : []),
  );
} else if (path === "provider/account" && action !== "org.matrix.cross_signing_reset") {
  const title = "Your account at Example ID";
  const [text, done] = ACCOUNT_ACTIONS[action ?? ""] ?? [];
  if (text && done) showStep(title, text, done);
  else show(title, note);
} else if (path.endsWith("submit_token")) {
  showStep("Confirm your email address", "Confirm", "Your address is confirmed");
} else if (path.includes("/policies/")) {
  const text = "A real homeserver has its privacy policy or its terms of service here.";
  show("A policy", h("p", {}, text));
} else {
  showStep("One more step", "Complete this step", "This step is complete", tellOpener);
}
