import type { LitElement } from "lit";
import type { LocalizeController } from "./localize.js";

/** What every controller needs of its element. */
export type AuthHost = LitElement & {
  readonly localize: LocalizeController;
  /** Renders a new state. */
  stateChanged(): void;
  /** Applies properties that were set just now. */
  applyProperties(): void;
};
