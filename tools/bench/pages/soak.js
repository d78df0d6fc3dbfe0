// The commands of a tab in the soak test.
import {
  OidcSession,
  completeAuthorizationCodeGrantFromUrl,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  restoreSession,
  secureRandomString,
} from "matrix-auth-elements/core";

/** For longer than the library waits at most before it tries a session's refresh again. */
const ATTEMPTS = 1500;
const PAUSE_MS = 3000;
const store = "indexedDB";

let session;
/** Why a session has ended without a sign-out. */
const ended = [];
let signingOut = false;

const pause = ({ retryAfterMs = 0 } = {}) =>
  new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, retryAfterMs)));

/** Repeats an operation until it succeeds, as an app's user would. */
async function persist(what, run) {
  let reason;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      reason = error;
      if (error.code === "session_ended") break;
      await pause(error);
    }
  }
  throw new Error(`${what}: ${reason?.code ?? reason}`);
}

async function userOf(response) {
  // Read even if unused, because unread bodies stay in memory.
  const { user_id } = await response.json();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return user_id;
}

async function ask(url) {
  return userOf(await session.fetch(url));
}

function use(taken) {
  session = taken;
  signingOut = false;
  session.addEventListener("session-ended", ({ detail }) => {
    if (!signingOut) ended.push(detail.reason);
  });
}

window.subject = {
  /** @returns The authorization URL. */
  async begin(homeserverUrl, clientId) {
    const metadata = await persist("metadata", () => fetchAuthMetadata(homeserverUrl));
    const nonce = secureRandomString(32);
    const redirectUri = location.origin;
    const responseMode = "fragment";
    return generateOidcAuthorizationUrl({
      ...{ metadata, clientId, homeserverUrl, redirectUri, nonce, responseMode },
    });
  },

  /** @returns Why it failed for good; undefined if it succeeded. */
  async complete(url) {
    for (;;) {
      try {
        use(new OidcSession(await completeAuthorizationCodeGrantFromUrl(url), { store }));
        await session.stored;
        return undefined;
      } catch (error) {
        if (!error.retryable) return error.code;
        await pause();
      }
    }
  },

  async restore() {
    use(await restoreSession({ store }));
  },

  /** Sends two requests at the same time. @returns The signed-in user. */
  async ask() {
    const url = new URL("/_matrix/client/v3/account/whoami", session.homeserverUrl).href;
    return Promise.all([1, 2].map(() => persist("whoami", () => ask(url))));
  },

  /** Asks as an `<img>` does: the token is the service worker's. */
  async askForMedia() {
    const url = new URL("/_matrix/client/v1/media/download/a/b", session.homeserverUrl).href;
    return persist("media", async () => userOf(await fetch(url)));
  },

  expectEnd() {
    signingOut = true;
  },

  async signOut() {
    await session.signOut();
  },

  /** Lets go of a session that was signed out, here or elsewhere. @returns Sessions that were lost. */
  async end() {
    if (session.state === "signed-in") {
      await new Promise((done) => session.addEventListener("session-ended", done));
    }
    session.close();
    session = undefined;
    return ended.splice(0);
  },
};
