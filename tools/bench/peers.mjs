// What is weighed: for each job, the imports of an app that does it, with each library.
import { readFile } from "node:fs/promises";

/** The peers' packages and versions, as package.json pins them. */
export async function peerVersions() {
  const { dependencies } = JSON.parse(await readFile("tools/bench/package.json", "utf8"));
  return Object.entries(dependencies)
    .map(([name, version]) =>
      version.startsWith("npm:") ? version.slice(4) : `${name}@${version}`,
    )
    .map((installed) => installed.replace(/@(?=\d)/, " "));
}

/**
 * A file that explains a size: the bundle is also weighed without it.
 *
 * @typedef {object} LeftOut
 * @property {string} what
 * @property {RegExp} filter
 * @property {string} contents The replacement.
 * @property {"js" | "json"} loader
 */

/** It detects look-alike letters. Every import of matrix-js-sdk includes it. @type {LeftOut} */
const CHARACTER_TABLE = {
  what: "its character table",
  filter: /unhomoglyph\/data\.json$/,
  contents: "{}",
  loader: "json",
};
/** @type {LeftOut} */
const ID_TOKEN = {
  what: "the ID token's verification",
  filter: /\/oauth\/id-token\.js$/,
  contents: "export const verifyIdToken = async () => {}, decodeJwt = () => ({ claims: {} });",
  loader: "js",
};

/** @param {41 | 43} version */
const uiaOf = (version) => `
  export { MatrixError } from "matrix-js-sdk-${version}/lib/http-api/errors.js";
  export { InteractiveAuth } from "matrix-js-sdk-${version}/lib/interactive-auth.js";`;

/**
 * The SDK's modules for signing in. Its index would bring the whole client.
 *
 * @param {41 | 43} version
 */
const modulesOf = (version) => `${uiaOf(version)}
  export { AutoDiscovery } from "matrix-js-sdk-${version}/lib/autodiscovery.js";
  export { secureRandomString } from "matrix-js-sdk-${version}/lib/randomstring.js";`;

/** The last version with OpenID Connect. The request for the metadata is left to the app. */
const SDK_41 = `${modulesOf(41)}
  export {
    OidcTokenRefresher, completeAuthorizationCodeGrant, generateOidcAuthorizationUrl,
    registerOidcClient, validateAuthMetadataAndKeys,
  } from "matrix-js-sdk-41/lib/oidc/index.js";`;

/** Only OAuth 2.0: no ID token. The app stores the sign-in, and checks `state` and `iss`. */
const SDK_43 = `${modulesOf(43)}
  export { OAuth2, isValidAuthMetadata } from "matrix-js-sdk-43/lib/oauth/index.js";
  export { TokenRefresher } from "matrix-js-sdk-43/lib/oauth/tokenRefresher.js";`;

/**
 * The SDK as its documentation describes it. Its cryptography in WebAssembly is loaded later and not counted.
 *
 * @param {41 | 43} version
 */
const clientOf = (version) =>
  `export { createClient } from "matrix-js-sdk-${version}/lib/matrix.js";`;

/**
 * By job: the libraries that do it, ours first.
 *
 * @type {Record<string, readonly Subject[]>}
 * @typedef {object} Subject
 * @property {string} subject
 * @property {string} [note] The difference from ours.
 * @property {string} imports The code of the app.
 * @property {LeftOut} [without]
 */
export const JOBS = {
  "sign in with a provider, stay signed in": [
    {
      subject: "ours",
      imports: `export {
        OidcSession, completeAuthorizationCodeGrantFromUrl, discoverIssuer,
        generateOidcAuthorizationUrl, secureRandomString,
      } from "matrix-auth-elements/core";`,
      without: ID_TOKEN,
    },
    {
      subject: "oidc-client-ts",
      note: "checks no signature, and stores no session for all tabs",
      // `UserManager` keeps the session and refreshes it. The timed pages use its `OidcClient`.
      imports: `export { OidcClient, UserManager, WebStorageStateStore } from "oidc-client-ts";`,
    },
    {
      subject: "auth0-spa-js",
      note: "only for Auth0's servers; checks no signature",
      imports: `export { Auth0Client } from "@auth0/auth0-spa-js";`,
    },
  ],
  "User-Interactive Authentication": [
    { subject: "ours", imports: `export { InteractiveAuth } from "matrix-auth-elements/core";` },
    { subject: "matrix-js-sdk-41", imports: uiaOf(41), without: CHARACTER_TABLE },
    { subject: "matrix-js-sdk-43", imports: uiaOf(43), without: CHARACTER_TABLE },
  ],
  "both, from a homeserver name": [
    {
      subject: "ours",
      imports: `export {
        InteractiveAuth, OidcSession, completeAuthorizationCodeGrantFromUrl, discoverHomeserver,
        fetchAuthMetadata, generateOidcAuthorizationUrl, registerOidcClient, secureRandomString,
      } from "matrix-auth-elements/core";`,
    },
    {
      subject: "matrix-js-sdk-41",
      note: "only its modules; checks no signature",
      imports: SDK_41,
      without: CHARACTER_TABLE,
    },
    {
      subject: "matrix-js-sdk-43",
      note: "only its modules; only OAuth 2.0, stores nothing",
      imports: SDK_43,
      without: CHARACTER_TABLE,
    },
    {
      subject: "matrix-js-sdk-41-client",
      note: "a whole Matrix client",
      imports: SDK_41 + clientOf(41),
      without: CHARACTER_TABLE,
    },
    {
      subject: "matrix-js-sdk-43-client",
      note: "a whole Matrix client",
      imports: SDK_43 + clientOf(43),
      without: CHARACTER_TABLE,
    },
  ],
  "elements, bundled": [
    {
      subject: "ours",
      note: "all: with libphonenumber-js, for phone stages",
      imports: `import "matrix-auth-elements/define";`,
    },
    {
      subject: "hanko-elements",
      note: "for its own server",
      imports: `export { register } from "@teamhanko/hanko-elements";`,
    },
    {
      subject: "descope",
      note: "loads further parts, and the screens, from its servers: not counted",
      imports: `import "@descope/web-component";`,
    },
  ],
};
