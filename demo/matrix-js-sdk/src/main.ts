import "matrix-auth-elements/capture";
import { errorText } from "matrix-auth-elements";
import { restoreSession, type MatrixSession } from "matrix-auth-elements/core";
import { NotesClient } from "./client";

const find = <E extends Element>(selector: string): E => {
  const element = document.querySelector<E>(selector);
  if (!element) throw new Error(`There is no ${selector}`);
  return element;
};
const login = find<HTMLElementTagNameMap["matrix-login"]>("matrix-login");
const dialog = find<HTMLElementTagNameMap["uia-dialog"]>("uia-dialog");
const problem = find(".problem");

const show = (selector: string, texts: readonly string[]): void =>
  find(selector).replaceChildren(
    ...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })),
  );

/** Runs an action of the user, and shows its error. */
async function attempt(action: () => Promise<unknown>): Promise<void> {
  problem.textContent = "";
  try {
    await action();
  } catch (error) {
    problem.textContent = await errorText(error);
  }
}

const onClick = (selector: string, action: () => Promise<unknown>): void =>
  find(selector).addEventListener("click", () => void attempt(action));

/** Shows the notes after a sign-in or a reload. */
async function start(session: MatrixSession): Promise<void> {
  login.hidden = true;
  find<HTMLElement>("main").hidden = false;
  // This comes before anything that can fail, so that the user can sign out.
  onClick("#leave", () => session.signOut());

  const showAll = async (): Promise<void> => {
    show("#rooms", client.roomNames);
    show("#notes", client.notes);
    const which = session.user.deviceId;
    const isSigned = await client.isSigned();
    find("#device").textContent =
      `This device, ${which}, is ${isSigned ? "signed" : "not signed"}.`;
  };
  const client = await NotesClient.create(session, () => void showAll());
  find("#user").textContent = client.userId;
  const elsewhere = find<HTMLElement>("#elsewhere");
  elsewhere.hidden = false;
  await client.start();
  elsewhere.hidden = true;

  await import("matrix-auth-elements/uia-dialog");
  dialog.client = client.matrixClient;
  const { authUploadDeviceSigningKeys: authenticate } = dialog;
  onClick("#sign", () => client.signDevice(authenticate));
  onClick("#reset", () => client.replaceKeys(authenticate));
  find<HTMLFormElement>("#write").addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get("text"));
    void attempt(async () => {
      await client.write(text);
      form.reset();
    });
  });
  await showAll();
}

login.addEventListener("matrix-login-success", (event) => {
  event.preventDefault(); // The app stays on this page.
  void attempt(() => start(event.detail.session));
});

const session = await restoreSession({ store: "localStorage" });
if (session?.state === "signed-in") await attempt(() => start(session));
else await import("matrix-auth-elements/matrix-login");
if (session?.state === "soft-logout") {
  // If the same user signs in on the same device, the device's keys are still there.
  login.homeserver = session.homeserverUrl;
  login.userId = session.user.userId;
  login.deviceId = session.user.deviceId;
}
