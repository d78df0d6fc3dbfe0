// This library, with the same tasks as the others. run-page.js describes each member.
import {
  InteractiveAuth,
  MatrixError,
  completeAuthorizationCodeGrantFromUrl,
  discoverHomeserver,
  discoverIssuer,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  registerOidcClient,
  secureRandomString,
  validateAuthMetadata,
} from "matrix-auth-elements/core";
import { conversation } from "./conversation.js";
import { runPage, starter } from "./run-page.js";

const authorize = starter(generateOidcAuthorizationUrl, secureRandomString);

runPage({
  async fromName(given) {
    const { baseUrl, issuer } = await discoverHomeserver(given.serverName);
    const metadata = await fetchAuthMetadata(baseUrl, { issuer });
    const { redirectUri, clientUri } = given;
    const clientId = await registerOidcClient(
      { ...metadata, signingKeys: null },
      { clientName: "Bench", clientUri, redirectUris: [redirectUri] },
    );
    return authorize(metadata, clientId, given);
  },
  async fromIssuer(given) {
    return authorize(await discoverIssuer(given.issuer), given.clientId, given);
  },
  complete: (url) => completeAuthorizationCodeGrantFromUrl(url),
  urlMaker(given) {
    const metadata = validateAuthMetadata(given.metadata);
    return () => authorize(metadata, given.clientId, given);
  },
  converse: conversation(
    InteractiveAuth,
    (status, body) => new MatrixError({ status, body, headers: new Headers() }),
  ),
});
