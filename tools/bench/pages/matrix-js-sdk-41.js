// matrix-js-sdk 41.9, with its modules for signing in.
import { AutoDiscovery } from "matrix-js-sdk-41/lib/autodiscovery.js";
import { MatrixError } from "matrix-js-sdk-41/lib/http-api/errors.js";
import { InteractiveAuth } from "matrix-js-sdk-41/lib/interactive-auth.js";
import {
  completeAuthorizationCodeGrant,
  generateOidcAuthorizationUrl,
  registerOidcClient,
  validateAuthMetadataAndKeys,
} from "matrix-js-sdk-41/lib/oidc/index.js";
import { secureRandomString } from "matrix-js-sdk-41/lib/randomstring.js";
import { conversation } from "./conversation.js";
import { runPage, starter } from "./run-page.js";

// It requests the well-known file only over https; the bench has no certificate.
AutoDiscovery.setFetchFn((url, init) => fetch(String(url).replace("https:", "http:"), init));

const authorize = starter(generateOidcAuthorizationUrl, secureRandomString);

runPage({
  async fromName(given) {
    const found = await AutoDiscovery.findClientConfig(given.serverName);
    const baseUrl = found["m.homeserver"].base_url;
    // MatrixClient.getAuthMetadata() requests `versions` once more before.
    const answer = await fetch(`${baseUrl}/_matrix/client/v1/auth_metadata`);
    const metadata = await validateAuthMetadataAndKeys(await answer.json());
    const { redirectUri, clientUri } = given;
    const clientId = await registerOidcClient(metadata, {
      clientName: "Bench",
      clientUri,
      applicationType: "web",
      redirectUris: [redirectUri],
      contacts: [],
      tosUri: undefined,
      policyUri: undefined,
    });
    return authorize(metadata, clientId, given);
  },
  complete(url) {
    const { searchParams } = new URL(url);
    return completeAuthorizationCodeGrant(searchParams.get("code"), searchParams.get("state"));
  },
  urlMaker: (given) => () => authorize(given.metadata, given.clientId, given),
  converse: conversation(InteractiveAuth, (status, body) => new MatrixError(body, status)),
});
