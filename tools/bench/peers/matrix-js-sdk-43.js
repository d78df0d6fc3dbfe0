// matrix-js-sdk 43: `src/oidc` is gone. What takes its place is OAuth 2.0 alone (no ID token, nothing is
// kept between leaving and returning, `state` and `iss` are the app's). By its modules, as above.
export { AutoDiscovery } from "matrix-js-sdk-43/lib/autodiscovery.js";
export { MatrixError } from "matrix-js-sdk-43/lib/http-api/errors.js";
export { InteractiveAuth } from "matrix-js-sdk-43/lib/interactive-auth.js";
export { OAuth2, isValidAuthMetadata } from "matrix-js-sdk-43/lib/oauth/index.js";
export { TokenRefresher } from "matrix-js-sdk-43/lib/oauth/tokenRefresher.js";
export { secureRandomString } from "matrix-js-sdk-43/lib/randomstring.js";
