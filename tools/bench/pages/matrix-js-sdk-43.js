// matrix-js-sdk 43, with the modules of peers/matrix-js-sdk-43.js. What must be there after
// returning its app keeps: here, as the comments of `OAuth2` advise, by `state`.
import {
  AutoDiscovery,
  InteractiveAuth,
  MatrixError,
  OAuth2,
  isValidAuthMetadata,
  secureRandomString,
} from "../peers/matrix-js-sdk-43.js";
import { conversation } from "./conversation.js";
import { runPage } from "./run-page.js";

// It requests the well-known file only over https; the bench has no certificate.
AutoDiscovery.setFetchFn((url, init) => fetch(String(url).replace("https:", "http:"), init));

async function authorize(metadata, clientId, redirectUri) {
  const oauth = new OAuth2(metadata, { clientId });
  const state = secureRandomString(32);
  const url = await oauth.generateAuthorizationCodeGrantUrl(state, redirectUri, "query");
  sessionStorage.setItem(state, JSON.stringify({ metadata, context: oauth.context, redirectUri }));
  return url;
}

runPage({
  async fromName({ serverName, redirectUri, clientUri }) {
    const found = await AutoDiscovery.findClientConfig(serverName);
    const baseUrl = found["m.homeserver"].base_url;
    const metadata = await (await fetch(`${baseUrl}/_matrix/client/v1/auth_metadata`)).json();
    if (!isValidAuthMetadata(metadata)) throw new Error("The metadata is not valid");
    const clientId = await OAuth2.registerClient(metadata, {
      client_name: "Bench",
      client_uri: clientUri,
      redirect_uris: [redirectUri],
    });
    return authorize(metadata, clientId, redirectUri);
  },
  complete(url) {
    const { searchParams } = new URL(url);
    const kept = sessionStorage.getItem(searchParams.get("state"));
    sessionStorage.removeItem(searchParams.get("state"));
    const { metadata, context, redirectUri } = JSON.parse(kept);
    const oauth = new OAuth2(metadata, context);
    return oauth.completeAuthorizationCodeGrant(searchParams.get("code"), redirectUri);
  },
  urlMaker:
    ({ metadata, clientId, redirectUri }) =>
    () =>
      authorize(metadata, clientId, redirectUri),
  converse: conversation(InteractiveAuth, (status, body) => new MatrixError(body, status)),
});
