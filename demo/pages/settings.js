import "matrix-auth-elements/define";
import { HomeserverClient } from "matrix-auth-elements/core";
import { baseUrl, leave, readSession, say } from "./password-session.js";
import { setUpPlayground } from "./playground.js";

const byId = (id) => document.getElementById(id);
const session = await readSession();
if (!session) leave("Sign in to see your account.");

const { userId, deviceId } = session?.user ?? {};
const client = new HomeserverClient({ baseUrl, session, userId, deviceId });
const dialog = document.querySelector("uia-dialog");
dialog.client = client;
void setUpPlayground(dialog);

/** Does what is protected, once however often it is clicked, with its reason in the dialog, and says how it went. */
async function protect(reason, done, doRequest) {
  say("problem");
  say("notice");
  try {
    const result = await dialog.authenticate(doRequest, { key: reason, description: reason });
    say("notice", done);
    return result;
  } catch (error) {
    if (error.errcode === "M_UNKNOWN_TOKEN") leave("Your session has ended. Sign in again.");
    else if (error.code !== "cancelled") say("problem", error.message);
    return undefined;
  }
}

const onSubmit = (id, run) =>
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    void run(new FormData(event.target), event.target);
  });

async function showDevices() {
  const { devices } = await client.getDevices();
  byId("devices").replaceChildren(
    ...devices.map(({ device_id: id, display_name: name }) => {
      const item = document.createElement("li");
      const label = document.createElement("label");
      const box = document.createElement("input");
      Object.assign(box, {
        type: "checkbox",
        name: "device",
        value: id,
        disabled: id === deviceId,
      });
      label.className = "choice";
      label.append(box, ` ${name ?? "A device"} (${id})`);
      const own = Object.assign(document.createElement("span"), {
        textContent: "this one",
        className: "here",
      });
      const button = Object.assign(document.createElement("button"), {
        type: "button",
        textContent: "Sign out",
      });
      button.setAttribute("aria-label", `Sign out ${name ?? id}`);
      button.addEventListener("click", () => void signOutDevice(id, name));
      item.append(label, id === deviceId ? own : button);
      return item;
    }),
  );
}

async function signOutDevice(id, name) {
  const reason = `To sign out ${name ?? id}, confirm it’s you.`;
  const gone = await protect(reason, "The device is signed out.", (auth) =>
    client.deleteDevice(id, auth),
  );
  if (gone) await showDevices();
}

async function showAddresses() {
  const { threepids } = await client.getThreePids();
  byId("addresses").replaceChildren(
    ...threepids.map(({ address }) =>
      Object.assign(document.createElement("li"), { textContent: address }),
    ),
  );
}

onSubmit("devices-form", async (values) => {
  const chosen = values.getAll("device");
  if (chosen.length === 0) return say("problem", "Choose a device first.");
  const what = chosen.length === 1 ? "the device" : `${chosen.length} devices`;
  const gone = await protect(`To sign out ${what}, confirm it’s you.`, "Done.", (auth) =>
    client.deleteMultipleDevices(chosen, auth),
  );
  return gone && showDevices();
});

onSubmit("password-form", async (values, form) => {
  const everywhere = values.has("everywhere");
  const reason = "To change your password, enter the old one.";
  const changed = await protect(reason, "The password is changed.", (auth) =>
    client.setPassword(auth, values.get("password"), everywhere),
  );
  if (!changed) return;
  form.reset();
  byId("password-user").value = userId;
  if (everywhere) await showDevices();
});

const emailSecret = client.generateClientSecret();
let emailAttempt = 0;
let emailSid;
onSubmit("email-form", async (values) => {
  say("problem");
  try {
    const { sid } = await client.requestAdd3pidEmailToken(
      values.get("email"),
      emailSecret,
      (emailAttempt += 1),
    );
    emailSid = sid;
    byId("add-email").hidden = false;
    say("notice", "The email is in the homeserver’s outbox. Open its link, then come back.");
  } catch (error) {
    say("problem", error.message);
  }
});
byId("add-email").addEventListener("click", async () => {
  const added = await protect("To add the address, confirm it’s you.", "It is added.", (auth) =>
    client.addThreePidOnly({ sid: emailSid, client_secret: emailSecret, auth }),
  );
  if (added) byId("add-email").hidden = true;
  await showAddresses();
});

byId("reset-keys").addEventListener("click", async () => {
  say("problem");
  byId("reason").textContent = "To replace your keys, confirm it’s you.";
  try {
    const { keys } = await client.bootstrapCrossSigning({
      authUploadDeviceSigningKeys: dialog.authUploadDeviceSigningKeys,
    });
    const [publicKey] = Object.values(keys.master_key.keys);
    say("keys", `Your new master key: ${publicKey}`);
  } catch (error) {
    if (error.code !== "cancelled") say("problem", error.message);
  }
});

onSubmit("deactivate-form", async (values) => {
  const gone = await protect("This ends your account for good.", "", (auth) =>
    client.deactivateAccount(auth, values.has("erase")),
  );
  if (gone) leave("Your account is closed.");
});

byId("sign-out").addEventListener("click", async () => {
  await session?.signOut();
  leave("You are signed out.");
});

byId("who").textContent = `You are ${userId}.`;
byId("password-user").value = userId;
await Promise.all([showDevices(), showAddresses()]).catch((error) => {
  if (error.errcode === "M_UNKNOWN_TOKEN") leave("Your session has ended. Sign in again.");
  else say("problem", error.message);
});
