import type { TabRecords } from "../tab-records.js";
import { OidcError, OidcFlowError } from "./errors.js";

/** Distinguishes this library's `state` values from those of other code on the page. */
export const STATE_PREFIX = "mae-";

/** The flows that this tab has begun. What fails throws an `OidcFlowError`, `StorageUnavailable`. */
export const FLOWS: TabRecords = {
  prefix: "matrix-auth-elements:flow:",
  error: (code, cause) => new OidcFlowError(OidcError.StorageUnavailable, code, cause),
};
