import { isUnknownTokenError } from "../../core/matrix/access-token.js";
import { asClientError } from "../../errors/client-error.js";
import type { CodedError } from "../../errors/coded-error.js";

/** Ignores an error if it means that the object was already removed. @throws Any other error. */
export function acceptGone(error: unknown): void {
  if (asClientError(error).code !== "M_NOT_FOUND") throw error;
}

export const isSessionOver = (error: CodedError): boolean =>
  error.code === "session_ended" || isUnknownTokenError(error);
