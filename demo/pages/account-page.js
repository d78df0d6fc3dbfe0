import { leaveNotice } from "./session.js";

const byId = (id) => document.getElementById(id);

const VIEW = `
  <section class="sheet" aria-labelledby="session-title">
    <h2 id="session-title">This session</h2>
    <dl>
      <dt>User</dt>
      <dd id="user"></dd>
      <dt>Device</dt>
      <dd id="device"></dd>
      <dt>Homeserver</dt>
      <dd id="server"></dd>
      <dt class="oauth">Provider</dt>
      <dd id="issuer" class="oauth"></dd>
      <dt class="oauth">Client ID</dt>
      <dd id="client" class="oauth"></dd>
      <dt class="oauth">Scope</dt>
      <dd id="scope" class="oauth"></dd>
      <dt>Access token</dt>
      <dd>
        <code id="token"></code>
        <button id="show" type="button" aria-pressed="false">Show</button>
      </dd>
      <dt>Expires</dt>
      <dd>
        <span id="expires"></span>
        <button id="renew" type="button">Refresh now</button>
      </dd>
    </dl>
  </section>
  <section class="sheet" aria-labelledby="keys-title">
    <h2 id="keys-title">Cross-signing</h2>
    <p id="keys" role="status">Keys that show others which devices are yours.</p>
    <button id="reset-keys" type="button">Replace the keys</button>
    <p id="problem" class="problem" role="alert"></p>
  </section>
  <details class="sheet oauth">
    <summary>Claims of the ID token</summary>
    <pre id="claims"></pre>
  </details>`;

/** The session of the account in the URL, else of any signed-in account, of either kind. */
async function findSession({ listSessions, restoreSession }) {
  const sessions = await listSessions({ store: "localStorage" });
  const named = new URLSearchParams(location.search).get("account");
  const found =
    named === null
      ? sessions.find(({ state }) => state === "signed-in")
      : sessions.find(({ key }) => key === named);
  return found && restoreSession({ store: "localStorage", key: found.key });
}

/** Shows the signed-in user's account, and data that apps seldom show: tokens, claims, and keys. */
export async function showAccount(core) {
  const session = await findSession(core).catch(() => undefined);
  if (session?.state !== "signed-in") {
    byId("who").textContent = "You are not signed in.";
    const link = Object.assign(document.createElement("a"), {
      textContent: "first page",
      href: "./",
    });
    byId("lead").append("Sign in on the ", link, ".");
    return;
  }
  document.querySelector("matrix-account").session = session;
  byId("sign-out").hidden = false;
  const leave = (notice) => {
    leaveNotice(notice);
    location.assign("./");
  };
  const onEnded = () => leave("You’re signed out. Sign in again.");
  // This listener runs in every tab of the demo, whichever tab ends the session.
  session.addEventListener("session-ended", onEnded);
  byId("sign-out").addEventListener("click", async () => {
    session.removeEventListener("session-ended", onEnded);
    const revoked = await session.signOut();
    leave(
      revoked
        ? "You’re signed out."
        : "You’re signed out here, but the provider could not be reached.",
    );
  });
  byId("account").innerHTML = VIEW;
  showSession(session);
  const client = new core.HomeserverClient({ baseUrl: session.homeserverUrl, session });
  offerNewKeys(client);
  byId("who").textContent = await greetingOf(client, session).catch(() => "Your account");
}

async function greetingOf(client, { homeserverUrl, fetch }) {
  const { user_id: userId, device_id: deviceId } = await client.whoami();
  byId("user").textContent = userId;
  byId("device").textContent = deviceId;
  const path = `_matrix/client/v3/profile/${encodeURIComponent(userId)}`;
  const { displayname = userId } = await (await fetch(`${homeserverUrl}/${path}`)).json();
  return `Hello, ${displayname}.`;
}

/** With OAuth 2.0, the homeserver requires another approval only for this request. */
export function offerNewKeys(client) {
  const dialog = document.querySelector("main > uia-dialog");
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

function showSession(session) {
  const { homeserverUrl, kind, scope, oidcClientSettings, user } = session;
  byId("server").textContent = homeserverUrl;
  showToken(session);
  showExpiry(session);
  if (kind === "legacy") {
    for (const each of document.querySelectorAll(".oauth")) each.remove();
    return;
  }
  byId("issuer").textContent = oidcClientSettings.issuer;
  byId("client").textContent = oidcClientSettings.clientId;
  byId("scope").textContent = scope;
  byId("claims").textContent = JSON.stringify(user.idTokenClaims ?? "none", null, 2);
}

/** @param {import("matrix-auth-elements").MatrixSession} session */
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

/** @param {import("matrix-auth-elements").MatrixSession} session */
function showExpiry(session) {
  const words = new Intl.RelativeTimeFormat("en");
  const update = () => {
    const seconds = Math.round((session.expiresAt ?? Infinity) - Date.now() / 1000);
    byId("expires").textContent = !Number.isFinite(seconds)
      ? "unknown"
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
    // If the refresh fails, the token shown is still the current one.
    await session.refresh().catch((error) => (byId("lead").textContent = error.message));
    byId("renew").disabled = false;
  });
}
