import type { RequestOptions } from "../http/index.js";
import { FLOW_LIFETIME_MS, type PendingFlow } from "./flow-store.js";
import { revokeUnused } from "./grant-result.js";
import type { IssuerResponse } from "./issuer-request.js";

/** The maximum number of responses that are kept at the same time. */
const MOST = 4;

interface Kept {
  readonly response: IssuerResponse;
  /** Revokes its tokens. */
  readonly giveUp: () => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Token responses whose ID token could not be verified yet, because the issuer's keys were unavailable. A code can be
 * used only once, so the next attempt uses the kept response. Without another attempt, the tokens are revoked.
 */
const kept = new Map<string, Kept>();

/** Node has no such events. */
const page: Partial<EventTarget> = globalThis;

/** Keeps a flow's response for the next try: as long as the flow lives, and the page. */
export function keepResponse(
  flow: PendingFlow,
  response: IssuerResponse,
  options: RequestOptions,
): void {
  const giveUp = (): void => {
    takeResponse(flow);
    revokeUnused(flow, response, options);
  };
  const timer = setTimeout(giveUp, FLOW_LIFETIME_MS);
  // A timer would keep Node running.
  (timer as { unref?: () => void }).unref?.();
  kept.set(flow.state, { response, giveUp, timer });
  const [oldest] = kept.values();
  if (kept.size > MOST) oldest?.giveUp();
  page.addEventListener?.("pagehide", giveUpAll);
}

/** Returns a flow's response and stops keeping it. */
export function takeResponse({ state }: PendingFlow): IssuerResponse | undefined {
  const { response, timer } = kept.get(state) ?? {};
  clearTimeout(timer);
  kept.delete(state);
  return response;
}

/** A page that the browser keeps may come back. */
const giveUpAll = (event: Event): void => {
  if (!(event as PageTransitionEvent).persisted) for (const { giveUp } of kept.values()) giveUp();
};
