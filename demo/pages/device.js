import {
  OidcSession,
  discoverHomeserver,
  fetchAuthMetadata,
  registerOidcClient,
  startDeviceAuthorization,
  completeDeviceAuthorizationGrant,
} from "matrix-auth-elements/core";
import { correction, generate } from "lean-qr";
import { toSvg } from "lean-qr/extras/svg";

const byId = (id) => document.getElementById(id);
const { clientUri } = document.querySelector("main").dataset;

/** The user's next steps. For any other error, the message is shown. */
const PROBLEMS = {
  access_denied: "You declined on the other device.",
  flow_expired: "The code has expired. Request a new one.",
  metadata_invalid: "This homeserver’s provider does not support device codes.",
  network_error: "Can’t reach the homeserver. Check its name and your connection.",
};

// Before this, the browser itself would submit the form.
byId("show-code").disabled = false;
byId("begin").addEventListener("submit", async (event) => {
  event.preventDefault();
  const ended = new AbortController();
  byId("cancel").onclick = () => ended.abort();
  byId("problem").textContent = "";
  byId("show-code").disabled = true;
  byId("status").textContent = "Requesting a code…";
  try {
    await signIn(byId("homeserver").value, ended.signal);
    location.assign("account.html");
  } catch (error) {
    if (!ended.signal.aborted) {
      byId("problem").textContent = PROBLEMS[error.code] ?? `${error.message} (${error.code})`;
    }
    byId("codes").hidden = true;
    byId("begin").hidden = false;
    byId("status").textContent = "";
    byId("show-code").disabled = false;
    byId("show-code").focus();
  }
});

async function signIn(name, signal) {
  const { baseUrl } = await discoverHomeserver(name, { signal });
  const metadata = await fetchAuthMetadata(baseUrl, { signal });
  const client = { clientName: "Lantern on a television", redirectUris: [location.href] };
  const clientId = await registerOidcClient(
    metadata,
    { ...client, clientUri: clientUri || location.origin, applicationType: "native" },
    { signal },
  );
  const codes = await startDeviceAuthorization({ metadata, clientId }, { signal });
  show(codes, signal);
  const grant = { session: codes, metadata, clientId, homeserverUrl: baseUrl };
  const result = await completeDeviceAuthorizationGrant(grant, { signal });
  await new OidcSession(result, { store: "localStorage" }).stored;
}

function show({ user_code, verification_uri, verification_uri_complete, expires_at }, signal) {
  byId("code").textContent = user_code;
  byId("address").href = byId("address").textContent = verification_uri;
  const picture = generate(verification_uri_complete ?? verification_uri, {
    minCorrectionLevel: correction.M,
  });
  byId("picture").replaceChildren(toSvg(picture, document, { on: "black", off: "white" }));
  byId("codes").hidden = false;
  byId("begin").hidden = true;
  byId("codes-title").focus();
  byId("status").textContent = "Waiting for your approval. This page continues automatically.";
  const words = new Intl.RelativeTimeFormat("en");
  const update = () => {
    if (signal.aborted || byId("codes").hidden) return;
    const minutes = Math.max(0, Math.ceil((expires_at - Date.now() / 1000) / 60));
    byId("left").textContent = `The code expires ${words.format(minutes, "minute")}.`;
    setTimeout(update, 1000);
  };
  update();
}
