// Which states have what a surrounding needs. A control that is missing, or that the table doesn't name, fails.
import { codesOf, destructiveIn, fieldsOf, mainButtonOf } from "./page.js";
import type { State } from "./states.js";

/** A text field, one for a code, the button to go on, or a button that destroys something. */
export type Control = "field" | "code" | "button" | "destructive";

type States = Readonly<Record<string, readonly string[]>>;

const FOUND_IN: Readonly<Record<Control, (element: HTMLElement) => boolean>> = {
  field: (element) => fieldsOf(element).length > 0,
  code: (element) => codesOf(element).length > 0 && mainButtonOf(element) !== undefined,
  button: (element) => mainButtonOf(element) !== undefined,
  destructive: (element) => destructiveIn(element).length > 0,
};

/** The states without a field. All others must have one. */
const WITHOUT_FIELD: States = {
  "matrix-account": [
    "idle",
    "being found",
    "a picture, chosen and not saved",
    "a picture that is being sent",
    "a picture that is too large",
    "a picture to be removed, in the question",
    "an email address, its message sent, in the dialog",
    "an email address to be removed, in the question",
    "this device to be signed out, in the question",
    "at a provider",
    "at a provider without account page",
    "everything forbidden",
    "error: no network",
    "error in the page's words",
    "in the page's words",
    "signed out",
    "signed out, not confirmed",
  ],
  "matrix-login": [
    "ready, single sign-on",
    "ready, OAuth 2.0",
    "ready, for an app with a long name",
    "ready, disabled",
    "redirecting to a provider",
    "waiting for its popup",
    "waiting, the popup blocked",
    "error: the provider is out of order",
    "error, the homeserver fixed",
    "registration, in the dialog",
    "success",
    "success in the page's words",
    "completing",
  ],
  "oidc-login": [
    "idle",
    "preparing",
    "preparing after a click",
    "ready",
    "ready to create an account",
    "redirecting",
    "waiting for its popup",
    "waiting, the popup blocked",
    "disabled",
    "error: no network",
    "unsupported",
    "unsupported, and clicked",
    "error: a server's",
    "error: no network, disabled",
    "error: no homeserver yet",
    "error: no homeserver",
    "error: the page's settings",
    "error in the page's words",
    "its label and icon the page's",
    "its label a long word",
  ],
  "oidc-callback": [
    "nothing to end",
    "manual, before anything",
    "pending",
    "success",
    "error: no network, to be tried again",
    "error: too many attempts",
    "error: a server's",
    "error: the code is no longer good",
    "error: the provider rejects the app",
    "error: the provider's message",
    "error: not to be trusted",
    "declined by the user",
    "pending in the page's words",
    "success in the page's words",
    "rejected with the page's text",
  ],
  "uia-dialog": [
    "email, sent",
    "email, sent, not followed yet",
    "phone, link sent",
    "terms",
    "terms, rejected with the homeserver's message",
    "terms without a link",
    "captcha, in the page",
    "captcha, failed: the homeserver's page",
    "sign-in elsewhere",
    "sign-in elsewhere, opened",
    "sign-in elsewhere, blocked",
    "sign-in elsewhere, not finished yet",
    "approval by m.oauth",
    "an unknown stage",
    "a stage without a page",
    "no network: try again",
    "a server out of order: try again",
    "the page's stage",
    "the page's stage, without a field",
  ],
  "uia-fallback-frame": [
    "idle",
    "opened",
    "window closed",
    "blocked",
    "reported as finished",
    "in a frame",
    "no page",
    "its label a long word",
  ],
};

/** The states without a button to go on. All others must have one. */
const WITHOUT_BUTTON: States = {
  "matrix-account": [
    "idle",
    "being found",
    "everything forbidden",
    "signed out",
    "signed out, not confirmed",
  ],
  "matrix-login": [
    "checking",
    "ready, disabled",
    "submitting",
    "success",
    "success in the page's words",
    "completing",
  ],
  "oidc-login": [
    "preparing after a click",
    "redirecting",
    "disabled",
    "error: no network, disabled",
  ],
  "oidc-callback": [
    "nothing to end",
    "manual, before anything",
    "pending",
    "success",
    "error: the code is no longer good",
    "error: the provider rejects the app",
    "error: the provider's message",
    "error: not to be trusted",
    "declined by the user",
    "pending in the page's words",
    "success in the page's words",
    "rejected with the page's text",
  ],
  "uia-dialog": [
    "password, working",
    "email, being sent",
    "terms without a link",
    "captcha, in the page",
    "a stage without a page",
    "too many attempts",
    "the page's stage",
    "the page's stage, without a field",
  ],
  "uia-fallback-frame": ["no page"],
};

/** The states in which a user can send a code. */
const CODES: States = {
  "uia-dialog": ["phone, code", "phone, code, wrong", "token", "token, rejected", "long words"],
};

/** The states that offer to destroy something, and have not asked yet. */
const DESTRUCTIVE: States = {
  "matrix-account": [
    "everything that a homeserver offers",
    "many devices, with a filter",
    "a device selected, and one being renamed",
    "a name being saved",
    "a name that could not be saved",
    "a device signed out",
    "the password missing, and the user ID",
    "the password changed, other devices signed out",
    "the other devices to be signed out with the password",
    "at a provider",
    "at a provider without account page",
    "error: no devices, to be tried again",
    "in the page's words",
  ],
};

/** Whether the state has the control: always, if none is needed. */
export function applies(tag: string, { name }: State, control?: Control): boolean {
  const isIn = (states: States): boolean => (states[tag] ?? []).includes(name);
  if (control === "field") return !isIn(WITHOUT_FIELD);
  if (control === "button") return !isIn(WITHOUT_BUTTON);
  if (control === "code") return isIn(CODES);
  return control === undefined || isIn(DESTRUCTIVE);
}

/** How the element differs from the table. A question offers to destroy something, too. */
export const whatTheTableMisses = (tag: string, state: State, element: HTMLElement): string[] =>
  (["field", "code", "button", "destructive"] as const).flatMap((control) => {
    const isThere = FOUND_IN[control](element);
    if (applies(tag, state, control)) return isThere ? [] : [`no ${control}`];
    return isThere && control !== "destructive" ? [`controls.ts names no ${control}`] : [];
  });
