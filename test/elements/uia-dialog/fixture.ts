// A <uia-dialog> on its page, and the user's view of it and steps in it.
import "../support/load-messages.js";
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import { AuthType, type UiaDialogElement } from "matrix-auth-elements";
import type { TemplateResult } from "lit";
import { breathe } from "../../support/clock.js";
import { restoreStubs } from "../../support/stub.js";
import {
  GOOD_PASSWORD,
  protectedRequest,
  refusal,
  type StageValidator,
  type ProtectedRequest,
} from "../support/protected-request.js";
import { keysHaveStopped } from "../support/keys.js";
import { waitFor } from "../support/wait-for.js";

export const { Password, Email, Msisdn, Terms, RegistrationToken, Dummy, Recaptcha, Sso, OAuth } =
  AuthType;
export const PASSWORD_VALIDATOR = { [Password]: GOOD_PASSWORD };
export const NOT_YET = { errcode: "M_UNAUTHORIZED", error: "no" };
export const NUMBER = { inputs: { phoneCountry: "GB", phoneNumber: "07700900123" } };
export const ADDRESS = { inputs: { emailAddress: "a@example.org" } };
export const OFFLINE = new TypeError("Failed to fetch");
/** The homeserver's 429. */
export const limit = (retry_after_ms: number, error?: string): Error =>
  refusal(429, { errcode: "M_LIMIT_EXCEEDED", error, retry_after_ms });
export const POLICIES = {
  [Terms]: {
    policies: {
      privacy: {
        version: "1",
        en: { name: "Privacy", url: "https://hs.example/privacy" },
        de: { name: "Datenschutz", url: "https://hs.example/datenschutz" },
      },
      terms: { version: "1", en: { name: "Terms", url: "https://hs.example/terms" } },
    },
  },
};

/** The current test's dialog. */
export let element: UiaDialogElement;
/** The result of the dialog's request. */
export let outcome: Promise<unknown>;

/** Uses a dialog that the test has made. */
function adopt(dialogOfTest: UiaDialogElement): void {
  element = dialogOfTest;
}

/** Uses a request that the test has started. */
function follow(request: Promise<unknown>): void {
  outcome = request;
}

async function make(
  template = html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`,
): Promise<UiaDialogElement> {
  element = await fixture<UiaDialogElement>(template);
  return element;
}

/** Starts a request, and waits until the dialog asks the user. `outcome` handles its rejection. */
async function begin(request: ProtectedRequest): Promise<void> {
  outcome = element.authenticate(request.doRequest).catch((error: unknown) => error);
  await asked();
}

interface OpenOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly validators?: Readonly<Record<string, StageValidator>>;
  readonly template?: TemplateResult;
  /** Properties of the dialog. */
  readonly set?: Partial<UiaDialogElement>;
}

/** Makes a dialog whose request requires some stages, and waits for the first of them. */
async function open(
  stages: readonly string[],
  { params, validators, template, set }: OpenOptions = {},
): Promise<ProtectedRequest> {
  const request = protectedRequest(stages, params, validators);
  await make(template);
  Object.assign(element, set);
  await begin(request);
  return request;
}

/** The views of some stages are loaded when the first of those stages is shown. */
const asked = (): Promise<unknown> =>
  waitFor(
    () => element.state === "awaiting-input" && dialog()?.open && !part("spinner"),
    "the user is not asked",
  );

/** The phone number's view and its countries are loaded when the first such stage is shown. */
const numberAsked = (): Promise<unknown> =>
  waitFor(() => element.querySelector("[name=phone]"), "no field");

const inState = (state: string): Promise<unknown> =>
  waitFor(
    () => element.state === state,
    () => `state ${element.state}, not ${state}`,
  );

const dialog = (): HTMLDialogElement | null | undefined =>
  element.shadowRoot?.querySelector("dialog");

function field(name: string): HTMLInputElement {
  const found = element.querySelector<HTMLInputElement>(`[name=${name}]`);
  if (!found) throw new Error(`no field ${name}`);
  return found;
}

const part = (name: string): HTMLElement | null | undefined =>
  element.shadowRoot?.querySelector<HTMLElement>(`[part~=${name}]`);

async function press(name: string): Promise<void> {
  part(name)?.click();
  await element.updateComplete;
}

function other(label: string): HTMLButtonElement {
  const buttons = [
    ...(element.shadowRoot?.querySelectorAll<HTMLButtonElement>(".others button") ?? []),
  ];
  const found = buttons.find(({ textContent }) => textContent?.trim() === label);
  if (!found) throw new Error(`no button ${label}`);
  return found;
}

function fill(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) field(name).value = value;
}

/** Waits for a text. */
const reads = (expected: string): Promise<unknown> =>
  waitFor(
    () => text().includes(expected),
    () => `${text()}, not ${expected}`,
  );

/** Checks every box. */
function checkAll(): void {
  for (const box of element.querySelectorAll<HTMLInputElement>("[type=checkbox]")) box.click();
}

/** Expects the request to be rejected because it was cancelled. */
async function expectCancelled(): Promise<void> {
  expect(await outcome).to.have.property("code", "cancelled");
}

/** Expects the request to succeed. */
async function expectDone(): Promise<void> {
  expect(await outcome).to.deep.equal({ done: true });
}

/** Submits the right password, and expects the request to succeed. */
async function finish(): Promise<void> {
  await submit({ password: "right" });
  await expectDone();
}

/** Moves the dialog to another place in the document. */
async function move(): Promise<HTMLElement> {
  const place = document.createElement("div");
  document.body.append(place);
  place.append(element);
  await waitFor(() => dialog()?.matches(":popover-open"), "no longer on top");
  return place;
}

/** All text in the dialog. */
const text = (): string =>
  `${dialog()?.innerText ?? ""} ${element.querySelector("form")?.innerText ?? ""}`
    .replace(/\s+/g, " ")
    .trim();

async function settledState(): Promise<void> {
  await breathe();
  await waitFor(() => element.state !== "busy");
  await element.updateComplete;
}

async function submit(values: Readonly<Record<string, string>> = {}): Promise<void> {
  fill(values);
  await press("submit");
  await settledState();
}

/** A gate that holds a request. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

export const refusing = (error: object): Promise<never> => Promise.reject(error as Error);

/** Ends the dialog after a test, so that it does not affect the next one, and nor do the test's keys. */
export async function endDialog(): Promise<void> {
  restoreStubs();
  element.cancel();
  await keysHaveStopped();
  await breathe();
  document.documentElement.lang = "en";
}

/** The user's view of the dialog, and steps in it. */
export const ui = {
  make,
  begin,
  open,
  asked,
  numberAsked,
  inState,
  dialog,
  field,
  part,
  press,
  other,
  fill,
  text,
  reads,
  submit,
  checkAll,
  expectCancelled,
  expectDone,
  finish,
  move,
  adopt,
  follow,
};
