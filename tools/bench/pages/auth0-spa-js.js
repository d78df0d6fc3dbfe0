// auth0-spa-js: its issuer's URLs are fixed. `localstorage` and refresh tokens, as in an app that
// stays signed in; that also keeps its requests in the page, out of a worker.
import { Auth0Client } from "@auth0/auth0-spa-js";
import { runPage } from "./run-page.js";

const clientOf = ({ issuer, clientId, redirectUri }) =>
  new Auth0Client({
    domain: issuer.replace(/\/$/, ""),
    clientId,
    authorizationParams: { redirect_uri: redirectUri },
    useRefreshTokens: true,
    cacheLocation: "localstorage",
  });

async function authorize(client) {
  let address = "";
  await client.loginWithRedirect({ openUrl: (url) => void (address = url) });
  return address;
}

runPage({
  fromIssuer: (given) => authorize(clientOf(given)),
  complete: (url, given) => clientOf(given).handleRedirectCallback(url),
  urlMaker(given) {
    const client = clientOf(given);
    return () => authorize(client);
  },
});
