import type { AuthFlow, Challenge } from "./challenge.js";

/** What the homeserver has reported about a session so far. */
export interface UiaProgress {
  /** Null before the first response, or if the homeserver has no sessions. */
  readonly id: string | null;
  readonly flows: readonly AuthFlow[];
  readonly params: ReadonlyMap<string, unknown>;
  /** A set, because homeservers list it in any order. */
  readonly completed: ReadonlySet<string>;
}

export const noProgress = (id: string | null = null): UiaProgress => ({
  id,
  flows: [],
  params: new Map(),
  completed: new Set(),
});

/** The state after a challenge. What the challenge leaves out stays as it was. */
export function applyChallenge(
  state: UiaProgress,
  { session, flows, params, completed }: Challenge,
): UiaProgress {
  const id = session ?? state.id;
  return {
    id,
    flows,
    params: params ? new Map(Object.entries(params)) : state.params,
    completed: completed ?? (id === state.id ? state.completed : new Set()),
  };
}

export const sameFlows = (a: UiaProgress, b: UiaProgress): boolean =>
  JSON.stringify(a.flows) === JSON.stringify(b.flows);
