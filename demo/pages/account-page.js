import { forgetSession, readSession } from "./session.js";

const byId = (id) => document.getElementById(id);

/** Shows who is signed in, asked of the homeserver with the token that was won. */
export async function showAccount(HomeserverClient) {
  const session = readSession();
  if (!session) {
    byId("who").textContent = "You are not signed in.";
    showLead("Begin on the ", "first page", "./");
    return;
  }
  const { homeserverUrl: baseUrl, tokenResponse } = session;
  const client = new HomeserverClient({ baseUrl, accessToken: tokenResponse.access_token });
  byId("sign-out").hidden = false;
  byId("sign-out").addEventListener("click", () => {
    // Only this tab forgets: telling the provider is for the session that the library does not have yet.
    leave("This tab has forgotten your session. The provider still knows it.");
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
  } catch (error) {
    if (error.errcode === "M_UNKNOWN_TOKEN") return leave("Your session has ended. Sign in again.");
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

function leave(notice) {
  forgetSession(notice);
  location.assign("./");
}

function showLead(text, linkText, href) {
  const link = Object.assign(document.createElement("a"), { textContent: linkText, href });
  byId("lead").append(text, link, ".");
}

async function ask({ homeserverUrl, tokenResponse }, path) {
  const response = await fetch(`${homeserverUrl}/_matrix/client/v3/${path}`, {
    headers: { Authorization: `Bearer ${tokenResponse.access_token}` },
  });
  return response.ok ? response.json() : {};
}

function showSession(session, userId, deviceId) {
  const { homeserverUrl, scope, tokenResponse, oidcClientSettings, idTokenClaims } = session;
  byId("user").textContent = userId;
  byId("device").textContent = deviceId ?? session.deviceId;
  byId("server").textContent = homeserverUrl;
  byId("issuer").textContent = oidcClientSettings.issuer;
  byId("client").textContent = oidcClientSettings.clientId;
  byId("scope").textContent = scope;
  byId("claims").textContent = JSON.stringify(idTokenClaims ?? "none", null, 2);
  showToken(tokenResponse.access_token);
  showExpiry(tokenResponse.expires_at);
}

function showToken(token) {
  const show = byId("show");
  const update = (shown) => {
    byId("token").textContent = shown ? token : `${token.slice(0, 6)}••••••••••••`;
    show.textContent = shown ? "Hide" : "Show";
    show.setAttribute("aria-pressed", String(shown));
  };
  show.addEventListener("click", () => update(show.getAttribute("aria-pressed") !== "true"));
  update(false);
}

/** @param {number | undefined} expiresAt seconds since the epoch */
function showExpiry(expiresAt) {
  const words = new Intl.RelativeTimeFormat("en");
  const update = () => {
    const seconds = Math.round((expiresAt ?? Infinity) - Date.now() / 1000);
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
