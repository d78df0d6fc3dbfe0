// The user's steps in `<matrix-account>`.
import { fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { MatrixAccountElement, UiaDialogElement } from "matrix-auth-elements";
import { HomeserverClient, LegacySession } from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import { part, textIn } from "../support/element.js";
import { HOMESERVER } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";

export const PASSWORD = "secret-old";
export const DAY_MS = 86_400_000;

/** Signs alice in at either kind of homeserver, as a page does before it shows the element. */
export function signIn(servers: TestServers, deviceName = "This browser"): LegacySession {
  const session = new LegacySession(servers.signIn("alice"));
  const { devices = [] } = servers.account("alice") ?? {};
  const own = devices.find(({ device_id }) => device_id === session.user.deviceId);
  if (own) own.display_name = deviceName;
  return session;
}

export const clientOf = (session: LegacySession): HomeserverClient =>
  new HomeserverClient({ baseUrl: HOMESERVER, session });

/** Renders an element with the properties that the page sets. */
export async function make(
  given: Partial<Pick<MatrixAccountElement, "client" | "session" | "sections">>,
): Promise<MatrixAccountElement> {
  const page = await fixture(html`
    <main>
      <h1>A page</h1>
      <matrix-account></matrix-account>
    </main>
  `);
  const element = page.querySelector("matrix-account");
  if (!element) throw new Error("no element");
  return Object.assign(element, given);
}

/** Resolves when nothing is in progress. */
export const settled = (element: MatrixAccountElement): Promise<unknown> =>
  waitFor(
    () => element.isUpdatePending === false && ["ready", "error"].includes(element.state),
    () => `state ${element.state}: ${textIn(element)}`,
  );

export const accessibleName = (element: Element): string => {
  const root = element.getRootNode() as ShadowRoot;
  const ids = element.getAttribute("aria-labelledby")?.split(" ") ?? [];
  const texts = ids.map((id) => root.getElementById(id)?.textContent ?? "");
  const [label] = (element as Partial<HTMLInputElement>).labels ?? [];
  return (ids.length > 0 ? texts : [(label ?? element).textContent])
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
};

/** The name of the focused element in the shadow tree. */
export function focusedName({ shadowRoot }: MatrixAccountElement): string {
  const { activeElement = null } = shadowRoot ?? {};
  return activeElement ? accessibleName(activeElement) : "";
}

/** A button, link or checkbox, by its accessible name. */
export function control<E extends HTMLElement = HTMLElement>(
  element: MatrixAccountElement,
  name: string,
): E {
  const all = [...(element.shadowRoot?.querySelectorAll<E>("button, a, input, summary") ?? [])];
  const found = all.find((each) => accessibleName(each) === name);
  if (!found) throw new Error(`no ${name} among ${all.map(accessibleName).join(", ")}`);
  return found;
}

/** The names of the shown devices, in order. */
export const shownDevices = (element: MatrixAccountElement): readonly string[] =>
  [...(element.shadowRoot?.querySelectorAll("[part=device-name]") ?? [])].map(({ textContent }) =>
    textContent.trim(),
  );

/** A picture of one color. */
export async function picture(color: string, name = "picture.png"): Promise<File> {
  const canvas = new OffscreenCanvas(2, 2);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.fillStyle = color;
  context.fillRect(0, 0, 2, 2);
  return new File([await canvas.convertToBlob()], name, { type: "image/png" });
}

/** Chooses a file for the user's picture, as in the browser's dialog. */
export async function choosePicture(element: MatrixAccountElement, file: File): Promise<void> {
  const input = element.shadowRoot?.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("no field for files");
  const chosen = new DataTransfer();
  chosen.items.add(file);
  input.files = chosen.files;
  input.dispatchEvent(new Event("change"));
  await element.updateComplete;
}

/** The open dialog. */
export async function dialogOf(element: MatrixAccountElement): Promise<UiaDialogElement> {
  const dialog = await waitFor(() =>
    element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog[open]"),
  );
  if (!dialog) throw new Error("no dialog");
  return dialog;
}

/** Waits for a field of the open dialog. */
export async function dialogField(
  element: MatrixAccountElement,
  name: string,
): Promise<HTMLInputElement> {
  const dialog = await dialogOf(element);
  const field = await waitFor(() => dialog.querySelector<HTMLInputElement>(`[name=${name}]`));
  if (!field) throw new Error("no field");
  return field;
}

/** Fills in a field of the dialog, and submits it. */
export async function submitInDialog(
  element: MatrixAccountElement,
  name: string,
  value: string,
): Promise<void> {
  (await dialogField(element, name)).value = value;
  part(await dialogOf(element), "submit").click();
}

/** Confirms with the password in the dialog. */
export const confirm = (element: MatrixAccountElement, password = PASSWORD): Promise<void> =>
  submitInDialog(element, "password", password);

/** The question that is open. */
export async function questionOf(element: MatrixAccountElement): Promise<HTMLDialogElement> {
  const found = (): HTMLDialogElement | null | undefined =>
    element.shadowRoot?.querySelector<HTMLDialogElement>("[part=question][open]");
  const question = await waitFor(found);
  if (!question) throw new Error("no question");
  return question;
}

/** Answers the question: presses its "Cancel", or its other button. */
export async function answer(element: MatrixAccountElement, name: string): Promise<void> {
  const buttons = (await questionOf(element)).querySelectorAll("button");
  const button = [...buttons].find((each) => accessibleName(each) === name);
  if (!button) throw new Error(`no ${name}`);
  button.click();
}

/** Shows the details of a device, with the buttons in them. */
export async function openDetails(element: MatrixAccountElement, device: string): Promise<void> {
  control(element, `Details ${device}`).click();
  await element.updateComplete;
}

/** Alice's devices on the homeserver. */
export const devicesOf = (servers: TestServers): readonly string[] =>
  (servers.account("alice")?.devices ?? []).map(({ device_id }) => device_id);
