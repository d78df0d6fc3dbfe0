import { OidcError, OidcFlowError } from "../dist/core/oidc/errors.js";

/**
 * What stands in place of a function in files of dist/cdn/ whose pages seldom call it: it loads it when it is called. In
 * the package there is no such import(), since applications' bundlers would split the core there.
 *
 * @template {unknown[]} Given
 * @template Result
 * @param {() => Promise<(...given: Given) => Promise<Result>>} load
 * @returns {(...given: Given) => Promise<Result>}
 */
export const later =
  (load) =>
  async (...given) => {
    const call = await load().catch((cause) => {
      throw new OidcFlowError(OidcError.General, "load_failed", cause);
    });
    return call(...given);
  };
