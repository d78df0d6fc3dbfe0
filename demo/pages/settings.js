import "matrix-auth-elements/define";
import { errorText } from "matrix-auth-elements";
import { HomeserverClient } from "matrix-auth-elements/core";
import { baseUrl, leave, readSession, say } from "./password-session.js";
import { setUpPlayground } from "./playground.js";

const byId = (id) => document.getElementById(id);
const create = (name, properties) => Object.assign(document.createElement(name), properties);
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
    else say("problem", await errorText(error));
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
  byId("devices").replaceChildren(...devices.map(deviceItem));
}

function deviceItem({ device_id: id, display_name: name = "A device" }) {
  const item = document.createElement("li");
  const label = create("label", { className: "choice" });
  label.append(
    create("input", { type: "checkbox", name: "device", value: id, disabled: id === deviceId }),
    ` ${name} (${id})`,
  );
  const rename = create("button", { type: "button", id: `rename-${id}`, textContent: "Rename" });
  rename.setAttribute("aria-label", `Rename ${name}`);
  rename.addEventListener("click", () => {
    item.replaceChildren(nameForm(id, name));
    item.querySelector("input").select();
  });
  const own = create("span", { textContent: "this one", className: "here" });
  const signOut = create("button", { type: "button", textContent: "Sign out" });
  signOut.setAttribute("aria-label", `Sign out ${name}`);
  signOut.addEventListener("click", () => void signOutDevice(id, name));
  const actions = create("span", { className: "actions" });
  actions.append(rename, id === deviceId ? own : signOut);
  item.append(label, actions);
  return item;
}

/** In place of a device, until it has its new name. */
function nameForm(id, name) {
  const input = create("input", { value: name, required: true, maxLength: 100 });
  input.setAttribute("aria-label", `New name of ${name}`);
  const save = create("button", { type: "button", textContent: "Save" });
  const close = async () => {
    await showDevices();
    byId(`rename-${id}`)?.focus();
  };
  const rename = async () => {
    if (!input.reportValidity()) return;
    try {
      await client.setDeviceDetails(id, { display_name: input.value });
      say("notice", "The device has its new name.");
      await close();
    } catch (error) {
      say("problem", await errorText(error));
    }
  };
  save.addEventListener("click", () => void rename());
  // The form around it signs devices out.
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") void close();
    if (event.key !== "Enter") return;
    event.preventDefault();
    void rename();
  });
  const row = create("span", { className: "rename" });
  row.append(input, save);
  return row;
}

async function signOutDevice(id, name) {
  const reason = `To sign out ${name}, confirm it’s you.`;
  const gone = await protect(reason, "The device is signed out.", (auth) =>
    client.deleteDevice(id, auth),
  );
  if (gone) await showDevices();
}

async function showAddresses() {
  const { threepids } = await client.getThreePids();
  byId("addresses").replaceChildren(
    ...threepids.map(({ address }) => create("li", { textContent: address })),
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
    say("problem", await errorText(error));
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
    say("problem", await errorText(error));
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
/** What the homeserver does not allow is not offered. What it does not mention is allowed. */
async function showWhatIsAllowed() {
  const capabilities = await client.getCapabilities();
  const isForbidden = (name) => capabilities[name]?.enabled === false;
  byId("password-form").hidden = isForbidden("m.change_password");
  byId("email-form").hidden = isForbidden("m.3pid_changes");
}

await Promise.all([showDevices(), showAddresses(), showWhatIsAllowed()]).catch(async (error) => {
  if (error.errcode === "M_UNKNOWN_TOKEN") leave("Your session has ended. Sign in again.");
  else say("problem", await errorText(error));
});
