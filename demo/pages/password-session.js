/** What the demo keeps of a sign-in by password, in this tab. */
const SESSION = "lantern:password-session";
const NOTICE = "lantern:password-notice";

/** The base of the homeserver's API. */
export const baseUrl = document.querySelector("main").dataset.homeserver;

export function keepSession({ user_id, access_token, device_id }) {
  sessionStorage.setItem(SESSION, JSON.stringify({ user_id, access_token, device_id }));
}

export function readSession() {
  return JSON.parse(sessionStorage.getItem(SESSION) ?? "null");
}

/** Forgets the session, and goes to the page that says why. */
export function leave(notice) {
  sessionStorage.removeItem(SESSION);
  sessionStorage.setItem(NOTICE, notice);
  location.assign("password.html");
}

export function takeNotice() {
  const notice = sessionStorage.getItem(NOTICE);
  sessionStorage.removeItem(NOTICE);
  return notice;
}

/** Shows a text in its place; without one, nothing. */
export function say(id, text = "") {
  const place = document.getElementById(id);
  place.textContent = text;
  place.hidden = text === "";
}
