// matrix-js-sdk 43, with its modules for signing in. The app stores the sign-in: here, as the comments of `OAuth2`
// advise, by `state`.
import { AutoDiscovery } from "matrix-js-sdk-43/lib/autodiscovery.js";
import { MatrixError } from "matrix-js-sdk-43/lib/http-api/errors.js";
import { InteractiveAuth } from "matrix-js-sdk-43/lib/interactive-auth.js";
import { OAuth2, isValidAuthMetadata } from "matrix-js-sdk-43/lib/oauth/index.js";
import { secureRandomString } from "matrix-js-sdk-43/lib/randomstring.js";
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
