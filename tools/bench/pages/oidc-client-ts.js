// oidc-client-ts, with the issuer and the client ID given: it supports neither homeservers nor
// registration.
import { OidcClient, WebStorageStateStore } from "oidc-client-ts";
import { runPage } from "./run-page.js";

const clientOf = ({ issuer, clientId, redirectUri, metadata }) =>
  new OidcClient({
    authority: issuer,
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid",
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
    ...(metadata && { metadata }),
  });

const authorize = async (client) =>
  (await client.createSigninRequest({ nonce: crypto.randomUUID() })).url;

runPage({
  fromIssuer: (given) => authorize(clientOf(given)),
  // A reloaded page has only its own settings: the metadata is requested again.
  complete: (url, given) => clientOf(given).processSigninResponse(url),
  urlMaker(given) {
    const client = clientOf(given);
    return () => authorize(client);
  },
});
