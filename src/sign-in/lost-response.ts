import { FLOWS } from "../core/oauth/flow-store.js";
import { readAuthorizationResponse } from "../core/oauth/response.js";
import { peekRecord } from "../core/shared/tab-records.js";
import { explain } from "../errors/explain-error.js";
import { pageResponse } from "./captured-response.js";

/** The time limit for an element on the page to start completing the response. */
export const COMPLETION_MS = 10_000;

/** Explains to the page's author why a sign-in has no outcome. */
export function explainLostResponse(): void {
  const response = pageResponse();
  if (response) {
    setTimeout(() => {
      if (!response.completion) explain((each) => each.explainNoCallback());
    }, COMPLETION_MS);
    return;
  }
  const [loaded] = performance.getEntriesByType("navigation");
  const state = loaded && readAuthorizationResponse(loaded.name)?.state;
  // Only sign-ins that an element started have a `startUrl`.
  if (state !== undefined && peekRecord(FLOWS.prefix + state)?.includes("startUrl")) {
    explain((each) => each.explainLateImport());
  }
}
