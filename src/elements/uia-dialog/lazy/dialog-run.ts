import type { UiaSession } from "../../../context/uia-session.js";
import type { UiaError } from "../../../core/uia/errors.js";
import type { AuthenticateOptions, UiaDialogState } from "../dialog-host.js";

/** What is shown of a session. */
export type Shown = Pick<UiaSession, "stage" | "status" | "busy" | "step" | "steps" | "unfinished">;

/** What is shown before the homeserver's first response. */
export const PENDING: Shown = {
  stage: "pending",
  status: {},
  busy: true,
  step: 0,
  steps: 0,
  unfinished: false,
};

/** What a dialog shows: the run of its controller. */
export interface DialogRun {
  readonly session: UiaSession | undefined;
  readonly isShown: boolean;
  readonly call: AuthenticateOptions;
  /** Who confirms, if that is known. */
  readonly userId: string | undefined;
  readonly state: UiaDialogState | undefined;
  /** Why the last request failed, while the user may try again. */
  readonly failure: unknown;
  readonly retry: () => void;
  /** Ends the run with an error. */
  readonly fail: (error: UiaError) => void;
}
