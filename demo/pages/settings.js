import "matrix-auth-elements/define";
import { HomeserverClient } from "matrix-auth-elements/core";
import { offerNewKeys } from "./account-page.js";
import { baseUrl, leave, readSession } from "./password-session.js";
import { logEvents } from "./event-log.js";

const byId = (id) => document.getElementById(id);
const session = await readSession();
if (session) showAccount();
else leave("Sign in to see your account.");

function showAccount() {
  const account = document.querySelector("matrix-account");
  const dialog = document.querySelector("main > uia-dialog");
  const client = new HomeserverClient({ baseUrl, session });
  account.session = session;
  offerNewKeys(client);
  logEvents([account, dialog], byId("log"));

  let notice = "You’re signed out.";
  account.addEventListener("matrix-account-change", ({ detail }) => {
    if (detail.action === "deactivated") notice = "Your account is closed.";
  });
  session.addEventListener("session-ended", () => leave(notice));
  byId("sign-out").addEventListener("click", () => void session.signOut());
}
