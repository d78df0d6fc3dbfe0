// What most files of dist/cdn/ have in place of core/homeserver/auth-metadata.js: their pages seldom ask a client for the
// provider's metadata. In the package this is no import(), since applications' bundlers would split the core there.
import { OidcError, OidcFlowError } from "../dist/core/oidc/errors.js";

/** @type {typeof import("../dist/core/homeserver/auth-metadata.js").fetchAuthMetadata} */
export async function fetchAuthMetadata(...given) {
  const loading = import("../dist/core/homeserver/auth-metadata.js");
  const module = await loading.catch((cause) => {
    throw new OidcFlowError(OidcError.General, "load_failed", cause);
  });
  return module.fetchAuthMetadata(...given);
}
