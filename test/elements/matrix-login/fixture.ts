// The user's steps in `<matrix-login>`.
import { fixture, html } from "@open-wc/testing";
import type { TemplateResult } from "lit";
import "matrix-auth-elements/define";
import type { MatrixLoginElement } from "matrix-auth-elements";
import { inState, part } from "../support/element.js";
import { HOMESERVER } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";

export const USER = "@alice:hs.example";

/** Attributes of the element. `HOMESERVER` is its homeserver unless they name another, or none. */
type Attributes = Readonly<Record<string, string | undefined>>;

/** Renders an element. */
export function make(attributes: Attributes | TemplateResult = {}): Promise<MatrixLoginElement> {
  if ("strings" in attributes) return fixture(attributes as TemplateResult);
  const element = document.createElement("matrix-login");
  for (const [name, value] of Object.entries({ homeserver: HOMESERVER, ...attributes })) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  return fixture(html`${element}`);
}

/** Renders an element, and waits until it shows how a user can sign in. */
export async function ready(markup?: Parameters<typeof make>[0]): Promise<MatrixLoginElement> {
  const element = await make(markup);
  await inState(element, "ready");
  return element;
}

/** Renders an element that asks for the homeserver. */
export async function makeAsking(): Promise<MatrixLoginElement> {
  const element = await make({ homeserver: undefined });
  await waitFor(() => element.shadowRoot?.querySelector("#homeserver"));
  return element;
}

export function field(element: MatrixLoginElement, name: string): HTMLInputElement {
  const found = element.querySelector<HTMLInputElement>(`[name="${name}"]`);
  if (!found) throw new Error(`no field ${name}`);
  return found;
}

/** Types into the fields, by their names. */
export function fill(element: MatrixLoginElement, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    const input = field(element, name);
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** Opens the form that creates an account or resets a password. */
export async function openForm(
  element: MatrixLoginElement,
  link: "register" | "forgot",
): Promise<void> {
  part(element, link).click();
  await waitFor(() => element.querySelector("[name=repeat]"), "no form");
}

/** The homeserver field. */
export function homeserverField(element: MatrixLoginElement): HTMLInputElement {
  const found = element.shadowRoot?.querySelector<HTMLInputElement>("#homeserver");
  if (!found) throw new Error("no field for the homeserver");
  return found;
}

/** Types a homeserver's name without leaving the field. */
export function typeHomeserver(element: MatrixLoginElement, name: string): void {
  const input = homeserverField(element);
  input.value = name;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}
