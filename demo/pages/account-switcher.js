const STORE = "localStorage";
/** The key of the session that this tab uses. */
const CURRENT = "lantern:account";
const KINDS = { oauth: "OAuth 2.0", legacy: "legacy API" };

const byId = (id) => document.getElementById(id);

/**
 * Lists the signed-in users and their homeservers, and lets the user switch, sign out of one
 * account and add another.
 *
 * @param {Pick<import("matrix-auth-elements/core"), "HomeserverClient" | "listSessions" | "restoreSession">} core
 * @param {import("matrix-auth-elements").MatrixLoginElement} login
 */
export async function setUpAccounts({ HomeserverClient, listSessions, restoreSession }, login) {
  /** The session of the current account. */
  let session;
  /** Whether the user is adding an account. */
  let adding = false;

  const restore = (key) => restoreSession({ store: STORE, key });

  const list = async () => {
    const accounts = await listSessions({ store: STORE });
    byId("account-list").replaceChildren(...accounts.map(showAccount));
    byId("accounts").hidden = accounts.length === 0;
    byId("sign-in").hidden = accounts.length > 0 && !adding;
    byId("add").hidden = adding;
    return accounts;
  };

  const switchTo = async (key) => {
    session?.close();
    session = key && (await restore(key));
    byId("current").replaceChildren();
    if (session?.state !== "signed-in") return forget();
    sessionStorage.setItem(CURRENT, key);
    session.addEventListener("session-ended", update);
    await list();
    await showCurrent(session);
    return undefined;
  };

  const forget = () => {
    session = undefined;
    sessionStorage.removeItem(CURRENT);
    return list();
  };

  /** Updates the list after a sign-in or sign-out in any tab. */
  const update = async () => {
    const accounts = await list();
    const signedIn = accounts.filter(({ state }) => state === "signed-in").map(({ key }) => key);
    if (signedIn.includes(session?.key)) return;
    const last = sessionStorage.getItem(CURRENT);
    await switchTo(signedIn.includes(last) ? last : signedIn[0]);
  };

  const showCurrent = async (current) => {
    const client = new HomeserverClient({ baseUrl: current.homeserverUrl, session: current });
    const text = await client.whoami().then(
      ({ user_id: userId, device_id: deviceId }) =>
        `The homeserver says: you are ${userId}, on the device ${deviceId}. `,
      ({ message }) => `${message} `,
    );
    // The user may have switched to another account meanwhile.
    if (current !== session) return;
    const href = `account.html?account=${encodeURIComponent(current.key)}`;
    byId("current").replaceChildren(text, element("a", { href, textContent: "Open the account" }));
  };

  const showAccount = ({ key, kind, state, userId = "Unknown user", deviceId, homeserverUrl }) => {
    const isCurrent = key === session?.key;
    const name = element("button", {
      type: "button",
      className: "account",
      textContent: userId,
      // On a right-to-left page, the user ID would start with its end.
      dir: "ltr",
      ariaPressed: String(isCurrent),
    });
    const details = [new URL(homeserverUrl).host, KINDS[kind], deviceId];
    if (state !== "signed-in") details.push("sign in again");
    const where = element("span", { className: "soft", textContent: details.join(" · ") });
    const signOut = element("button", { type: "button", textContent: "Sign out" });
    signOut.ariaLabel = `Sign out ${userId} at ${homeserverUrl}`;
    signOut.addEventListener("click", async () => {
      signOut.disabled = true;
      await (isCurrent ? session : await restore(key))?.signOut();
      await update();
      byId("accounts-title").focus();
    });
    name.addEventListener("click", () => {
      if (state === "signed-in") void switchTo(key);
      else signIn({ homeserver: homeserverUrl, userId, deviceId });
    });
    const item = element("li");
    item.append(name, where, signOut);
    return item;
  };

  /** Shows the form. After a soft logout, it is for the same user and device. */
  const signIn = ({ homeserver = "", userId, deviceId } = {}) => {
    adding = true;
    // A new homeserver is looked up automatically.
    const isSame = (login.homeserver ?? "") === homeserver;
    Object.assign(login, { homeserver, userId, deviceId });
    if (isSame) login.reset();
    // The form is hidden until then, and the pressed button is hidden now.
    void list().then(() => byId("sign-in").focus());
  };

  login.addEventListener("matrix-login-success", ({ detail }) => {
    adding = false;
    void switchTo(detail.session.key);
  });
  login.addEventListener("matrix-login-error", () => {
    adding = true;
    void list();
  });
  byId("add").addEventListener("click", () => signIn());
  byId("homeservers").addEventListener("click", ({ target: { value } }) => {
    if (value) signIn({ homeserver: value });
  });
  addEventListener("storage", () => void update());
  await update();
}

const element = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);
