// oidc-client-ts: `UserManager` keeps the session and refreshes it; `OidcClient`, which it is made
// of, is what the timed pages use, because it gives the address instead of going there.
export { OidcClient, UserManager, WebStorageStateStore } from "oidc-client-ts";
