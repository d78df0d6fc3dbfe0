import type * as CoreModule from "../../core/index.js";
import { OidcFlowError } from "../../core/oidc/errors.js";
import { addTexts } from "../../locales/registry.js";
import type * as LaterModule from "../later.js";
import type * as UiaModule from "../uia.js";

/** Everything that speaks to servers. It is no part of what a page waits for before it paints. */
export type Core = typeof CoreModule;

/** What the elements do with it, and their texts for errors. */
export type Later = typeof LaterModule;

/** What User-Interactive Authentication needs once it begins, its texts included. */
export type Uia = typeof UiaModule;

/** @throws {OidcFlowError} `General` (`load_failed`). */
export const loadCore = (): Promise<Core> => orLoadFailed(import("../../core/index.js"));

/** @throws {OidcFlowError} `General` (`load_failed`). */
export async function loadLater(): Promise<Later> {
  const later = await orLoadFailed(import("../later.js"));
  addTexts(later.enLater);
  return later;
}

/** @throws {OidcFlowError} `General` (`load_failed`). */
export async function loadUia(): Promise<Uia> {
  const uia = await orLoadFailed(import("../uia.js"));
  addTexts(uia.enUia);
  return uia;
}

async function orLoadFailed<T>(part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch (cause) {
    throw new OidcFlowError("Something went wrong with OIDC discovery", "load_failed", cause);
  }
}
