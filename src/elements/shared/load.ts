// The parts of the library that no page waits for before it paints. Each brings what it needs of the core.
import { OidcFlowError } from "../../core/oidc/errors.js";
import { addTexts } from "../../locales/registry.js";
import type { Translation } from "../../locales/translation.js";
import type * as CallbackModule from "../callback.js";
import type * as LoginModule from "../login.js";
import type * as UiaModule from "../uia.js";

export type LoginPart = typeof LoginModule;

/** @throws {OidcFlowError} `General` (`load_failed`). */
export const loadLogin = (): Promise<LoginPart> => withTexts(import("../login.js"));

/** @throws {OidcFlowError} `General` (`load_failed`). */
export const loadCallback = (): Promise<typeof CallbackModule> =>
  withTexts(import("../callback.js"));

/** @throws {OidcFlowError} `General` (`load_failed`). */
export const loadUia = (): Promise<typeof UiaModule> => withTexts(import("../uia.js"));

async function withTexts<T extends { readonly texts: Translation }>(part: Promise<T>): Promise<T> {
  const loaded = await orLoadFailed(part);
  addTexts(loaded.texts);
  return loaded;
}

/** @throws {OidcFlowError} `General` (`load_failed`). */
export async function orLoadFailed<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch (cause) {
    throw new OidcFlowError("Something went wrong with OIDC discovery", "load_failed", cause);
  }
}
