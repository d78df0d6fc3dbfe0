// A client of the matrix-js-sdk version in the query, attached to the stored session.
import { HomeserverClient, restoreSession } from "matrix-auth-elements/core";
import { attachSession } from "matrix-auth-elements/matrix-js-sdk";

const VERSIONS = {
  34: () => import("matrix-js-sdk-34"),
  41: () => import("matrix-js-sdk-41"),
  43: () => import("matrix-js-sdk-43"),
};
const sdk = await VERSIONS[new URLSearchParams(location.search).get("sdk")]();
const session = (window.session = await restoreSession({ store: "localStorage" }));

/** The events of the client and the session, in order. */
window.events = [];
for (const type of ["session-changed", "session-ended"]) {
  session.addEventListener(type, () => window.events.push(type));
}

const { homeserverUrl: baseUrl, user } = session;
// The user may have left the sign-in page before it stored the user ID.
const userId = user.userId ?? (await new HomeserverClient({ baseUrl, session }).whoami()).user_id;
window.create = (change) =>
  sdk.createClient({ baseUrl, userId, deviceId: user.deviceId, ...change });
window.attach = attachSession;
const client = (window.client = window.create());
client.on("Session.logged_out", () => window.events.push("logged out"));
client.on("sync", (state) => (window.syncState = state));
window.detach = attachSession(client, session);

/** Uploads bytes. @returns The last progress, and the file's URI. */
window.upload = async (size) => {
  let progress;
  const progressHandler = (next) => (progress = next);
  const { content_uri: uri } = await client.uploadContent(new Blob([new Uint8Array(size)]), {
    progressHandler,
  });
  return { progress, uri };
};
/** @returns The name or code of the promise's error. */
window.failure = (promise) =>
  promise.then(
    () => null,
    ({ name, code, errcode }) => errcode ?? (typeof code === "string" ? code : name),
  );
window.isReady = true;
