import { leaveNotice } from "./session.js";

const byId = (id) => document.getElementById(id);

/** What a person can do at the provider, in the words of the demo. */
const ACTIONS = {
  "org.matrix.profile": "Change your name and picture",
  "org.matrix.devices_list": "See where you are signed in",
  "org.matrix.account_deactivate": "Close your account",
};

/** Shows who is signed in, asked of the homeserver with the token that was won. */
export async function showAccount({ HomeserverClient, OidcSession, accountManagementUrl }) {
  const session = await OidcSession.restore({ store: "localStorage" });
  if (!session) {
    byId("who").textContent = "You are not signed in.";
    showLead("Begin on the ", "first page", "./");
    return;
  }
  const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session });
  byId("sign-out").hidden = false;
  const leave = (notice) => {
    leaveNotice(notice);
    location.assign("./");
  };
  const onEnded = () => leave("You are signed out. Sign in again.");
  // In every tab of the demo, no matter which one ends it.
  session.addEventListener("session-ended", onEnded);
  byId("sign-out").addEventListener("click", async () => {
    session.removeEventListener("session-ended", onEnded);
    const told = await session.signOut();
    leave(told ? "You are signed out." : "You are signed out here; the provider was not reached.");
  });
  try {
    const { user_id, device_id } = await client.whoami();
    const [profile, devices] = await Promise.all([
      ask(session, `profile/${encodeURIComponent(user_id)}`),
      ask(session, "devices"),
    ]);
    byId("who").textContent = `Hello, ${profile.displayname ?? user_id}.`;
    byId("lead").textContent = "The homeserver accepts your token: these are its own words.";
    showSession(session, user_id, device_id);
    showDevices(devices.devices ?? [], device_id);
    offerNewKeys(client);
    byId("account").hidden = false;
    showLinks(await client.getAuthMetadata(), accountManagementUrl);
  } catch (error) {
    if (session.state !== "signed-in") return;
    byId("who").textContent = "The homeserver does not answer.";
    showLead(`${error.message} `, "Try again", "");
  }
}

/** With an OAuth token this is what the homeserver asks again for, on the provider's page. */
function offerNewKeys(client) {
  const dialog = document.querySelector("uia-dialog");
  dialog.client = client;
  byId("reset-keys").addEventListener("click", async () => {
    byId("problem").textContent = "";
    try {
      const { authUploadDeviceSigningKeys } = dialog;
      const { keys } = await client.bootstrapCrossSigning({ authUploadDeviceSigningKeys });
      const [publicKey] = Object.values(keys.master_key.keys);
      byId("keys").textContent = `Your new master key: ${publicKey}`;
    } catch (error) {
      if (error.code !== "cancelled") byId("problem").textContent = error.message;
    }
  });
}

function showLinks(metadata, accountManagementUrl) {
  for (const [action, text] of Object.entries(ACTIONS)) {
    const href = accountManagementUrl(metadata, action);
    if (!href) continue;
    const item = document.createElement("li");
    item.append(linkTo(text, href));
    byId("provider-links").append(item);
    byId("provider").hidden = false;
  }
}

const linkTo = (textContent, href) =>
  Object.assign(document.createElement("a"), { textContent, href });

function showLead(text, linkText, href) {
  byId("lead").append(text, linkTo(linkText, href), ".");
}

async function ask({ homeserverUrl, fetch }, path) {
  const response = await fetch(`${homeserverUrl}/_matrix/client/v3/${path}`);
  return response.ok ? response.json() : {};
}

function showSession(session, userId, deviceId) {
  const { homeserverUrl, scope, oidcClientSettings, user } = session;
  byId("user").textContent = userId;
  byId("device").textContent = deviceId ?? user.deviceId;
  byId("server").textContent = homeserverUrl;
  byId("issuer").textContent = oidcClientSettings.issuer;
  byId("client").textContent = oidcClientSettings.clientId;
  byId("scope").textContent = scope;
  byId("claims").textContent = JSON.stringify(user.idTokenClaims ?? "none", null, 2);
  showToken(session);
  showExpiry(session);
}

/** @param {import("matrix-auth-elements").OidcSession} session */
function showToken(session) {
  const show = byId("show");
  const update = async (shown) => {
    const token = await session.accessToken();
    byId("token").textContent = shown ? token : `${token.slice(0, 6)}••••••••••••`;
    show.textContent = shown ? "Hide" : "Show";
    show.setAttribute("aria-pressed", String(shown));
  };
  const isShown = () => show.getAttribute("aria-pressed") === "true";
  show.addEventListener("click", () => update(!isShown()));
  session.addEventListener("session-changed", () => update(isShown()));
  void update(false);
}

/** @param {import("matrix-auth-elements").OidcSession} session */
function showExpiry(session) {
  const words = new Intl.RelativeTimeFormat("en");
  const update = () => {
    const seconds = Math.round((session.expiresAt ?? Infinity) - Date.now() / 1000);
    byId("expires").textContent = !Number.isFinite(seconds)
      ? "not told"
      : seconds <= 0
        ? "has expired"
        : seconds > 90
          ? words.format(Math.round(seconds / 60), "minute")
          : words.format(seconds, "second");
  };
  update();
  setInterval(update, 1000);
  session.addEventListener("session-changed", update);
  byId("renew").addEventListener("click", async () => {
    byId("renew").disabled = true;
    // If it fails, the token shown is still the current one.
    await session.refresh().catch((error) => (byId("lead").textContent = error.message));
    byId("renew").disabled = false;
  });
}

function showDevices(devices, ownId) {
  const seen = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
  byId("devices").replaceChildren(
    ...devices.map(({ device_id, display_name, last_seen_ts }) => {
      const item = document.createElement("li");
      const name = document.createElement("span");
      name.textContent = `${display_name ?? "A device"} (${device_id})`;
      const when = document.createElement("span");
      const here = device_id === ownId;
      when.className = here ? "here" : "";
      when.textContent = here ? "this one" : last_seen_ts ? seen.format(last_seen_ts) : "";
      item.append(name, when);
      return item;
    }),
  );
}
