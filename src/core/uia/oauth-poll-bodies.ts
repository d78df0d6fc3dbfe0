import type { AuthDict } from "../auth-dict.js";
import { AuthType } from "./auth-type.js";

/**
 * How to ask about an approved {@link AuthType.OAuth}: servers expect one form or the other, so the two
 * are sent in turn.
 */
export class OAuthPollBodies {
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
