import { expect } from "@open-wc/testing";
import { OidcFlowError, type OidcError, type OidcErrorCode } from "matrix-auth-elements/core";

/** Returns the error of a rejected promise or a throwing function. Fails if there is none. */
export async function rejectionOf(call: Promise<unknown> | (() => unknown)): Promise<unknown> {
  try {
    await (typeof call === "function" ? call() : call);
  } catch (error) {
    return error;
  }
  throw new Error("Resolved instead of rejecting");
}

/** Expects one of the library's own errors. */
export async function expectFlowError(
  call: Promise<unknown> | (() => unknown),
  message: OidcError,
  code: OidcErrorCode,
): Promise<OidcFlowError> {
  const error = await rejectionOf(call);
  if (!(error instanceof OidcFlowError)) {
    throw new Error(`Rejected with another error than the library's: ${String(error)}`, {
      cause: error,
    });
  }
  expect({ message: error.message, code: error.code }).to.deep.equal({ message, code });
  return error;
}

/** The messages of the faults that an error collected. */
export function faultsOf(error: Error): readonly string[] {
  return error.cause instanceof AggregateError
    ? error.cause.errors.map((fault: Error) => fault.message)
    : [];
}

/** Every string that is reachable from an error, and might end up in a log or a crash report. */
export function everyTextIn(error: unknown): string {
  const seen = new Set<unknown>();
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    // `Object.keys` does not list the content of some objects.
    texts.push(String(value), JSON.stringify(value) ?? "");
    for (const key of Reflect.ownKeys(value)) visit(Reflect.get(value, key));
    if (value instanceof Headers || value instanceof URLSearchParams) {
      for (const entry of value) texts.push(...entry);
    }
    if (value instanceof Map || value instanceof Set) [...value].forEach(visit);
    if (value instanceof Response || value instanceof Request) texts.push("a whole message");
  };
  visit(error);
  return texts.join("\n");
}
