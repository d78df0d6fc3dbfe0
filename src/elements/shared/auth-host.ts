import type { LitElement } from "lit";
import type { LocalizeController } from "./localize.js";

/** What every controller needs of its element. */
export type AuthHost = LitElement & {
  readonly localize: LocalizeController;
  /** Whether the next render is the server's, or has to be the same: neither its place nor its content is known. */
  readonly isHydrating: boolean;
  /** Renders a new state. */
  stateChanged(): void;
  /** Applies properties that were set just now. */
  applyProperties(): void;
};
