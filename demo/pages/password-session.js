import { LegacySession, restoreSession } from "matrix-auth-elements/core";
import { leaveNotice } from "./session.js";

/** The store of a password session is this tab's. */
const KEPT = { store: "sessionStorage", key: "lantern:password-session" };

/** The base of the homeserver's API. */
export const baseUrl = document.querySelector("main").dataset.homeserver;

/** @param result The value that `loginWithPassword` resolves to. */
export async function keepSession(result) {
  const session = new LegacySession(result, KEPT);
  await session.stored;
  session.close();
}

/** Returns `undefined` if the user is not signed in. */
export async function readSession() {
  const session = await restoreSession(KEPT);
  return session?.state === "signed-in" ? session : undefined;
}

/** Removes the session, and opens the sign-in page with the reason. */
export function leave(notice) {
  sessionStorage.removeItem(KEPT.key);
  leaveNotice(notice);
  location.assign("password.html");
}

/** Shows a text, or removes it if it is empty. */
export function say(id, text = "") {
  const place = document.getElementById(id);
  place.textContent = text;
  place.hidden = text === "";
}
