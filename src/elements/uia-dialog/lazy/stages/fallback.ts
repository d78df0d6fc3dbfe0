import { html, type TemplateResult } from "lit";
import { loadFallback } from "../../../uia-fallback-frame/uia-fallback-frame.js";
import { type DialogRest, lazyStage, type Stage } from "./stage-view.js";

// The dialog has just opened or reached this stage: the focus must go somewhere.
/* eslint-disable lit-a11y/no-autofocus */
const bodyWith = ({ messages, buttons }: DialogRest): TemplateResult =>
  html`<uia-fallback-frame
    exportparts="open, finished, link, text, host, actions"
    .autofocus=${true}
  >
    <div slot="messages">${messages}</div>
    <div slot="actions" class="row">${buttons}</div>
  </uia-fallback-frame>`;
/* eslint-enable lit-a11y/no-autofocus */

/**
 * A page of the homeserver or the authorization server that completes the stage.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#fallback
 */
export const fallback: Stage = lazyStage(async () => {
  const { instructionOf } = await loadFallback();
  return ({ session: { stage }, term }) => ({ instruction: term(instructionOf(stage)), bodyWith });
});
