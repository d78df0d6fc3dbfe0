import "matrix-auth-elements/define";
import { errorText } from "matrix-auth-elements";
import { HomeserverClient } from "matrix-auth-elements/core";
import { baseUrl, leave, readSession, say } from "./password-session.js";
import { setUpPlayground } from "./playground.js";

const byId = (id) => document.getElementById(id);
const session = await readSession();
if (session) showAccount();
else leave("Sign in to see your account.");

function showAccount() {
  const account = document.querySelector("matrix-account");
  const dialog = document.querySelector("main > uia-dialog");
  const client = new HomeserverClient({ baseUrl, session });
  account.session = session;
  dialog.client = client;
  void setUpPlayground(account, dialog);

  let notice = "You’re signed out.";
  account.addEventListener("matrix-account-change", ({ detail }) => {
    if (detail.action === "deactivated") notice = "Your account is closed.";
  });
  session.addEventListener("session-ended", () => leave(notice));
  byId("sign-out").addEventListener("click", () => void session.signOut());

  byId("reset-keys").addEventListener("click", async () => {
    say("problem");
    try {
      const { authUploadDeviceSigningKeys } = dialog;
      const { keys } = await client.bootstrapCrossSigning({ authUploadDeviceSigningKeys });
      const [publicKey] = Object.values(keys.master_key.keys);
      say("keys", `Your new master key: ${publicKey}`);
    } catch (error) {
      say("problem", await errorText(error));
    }
  });
}
