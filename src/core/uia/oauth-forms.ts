import type { AuthDict } from "../auth-dict.js";
import { AuthType } from "./auth-type.js";

/**
 * How an approved {@link AuthType.OAuth} is asked about: servers want it in the one or the other form, so
 * that they are sent in turn.
 */
export class OAuthForms {
  #forms: readonly AuthDict[] = [{}, { type: AuthType.OAuth }];

  next(): AuthDict {
    const [form = {}, ...others] = this.#forms;
    this.#forms = [...others, form];
    return form;
  }

  /** Forgets a form that the homeserver does not know. @returns Whether another is left to try. */
  drop(refused: AuthDict | null): boolean {
    if (this.#forms.length < 2) return false;
    this.#forms = this.#forms.filter(({ type }) => type !== refused?.type);
    return true;
  }
}
