import { OidcError, OidcErrorCode, OidcFlowError } from "../../core/oidc/errors.js";

/** Everything that speaks to servers. It is no part of what a page waits for before it paints. */
export type Core = typeof import("../../core/index.js");

let core: Promise<Core> | undefined;

/**
 * Loads the core, once.
 *
 * @throws {OidcFlowError} `General` (`load_failed`); the next call tries again.
 */
export function loadCore(): Promise<Core> {
  core ??= import("../../core/index.js").catch((cause: unknown) => {
    core = undefined;
    throw new OidcFlowError(OidcError.General, OidcErrorCode.LoadFailed, cause);
  });
  return core;
}

/**
 * What an element reports of anything that was thrown. The core may be another copy of the library's
 * code than the element, so its errors are known by their shape.
 */
export function asFlowError(error: unknown): OidcFlowError {
  return error instanceof Error && error.name === "OidcFlowError"
    ? (error as OidcFlowError)
    : new OidcFlowError(OidcError.General, OidcErrorCode.Unexpected, error);
}
