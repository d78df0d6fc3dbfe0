import { html } from "lit";
import { AuthType, isOAuth } from "../../../../core/uia/auth-type.js";
import { loadFallback } from "../../../uia-fallback-frame/load.js";
import { lazyStage } from "./lazy-stage.js";
import type { Stage } from "./stage-view.js";

const view: Stage = ({ session: { stage }, term }) => ({
  instruction: term(
    stage === AuthType.Sso || stage === AuthType.SsoUnstable
      ? "uiaSsoAsk"
      : isOAuth(stage)
        ? "uiaOAuthAsk"
        : "uiaFallbackAsk",
  ),
  // The dialog has just opened or reached this stage: the focus has to go somewhere.
  /* eslint-disable lit-a11y/no-autofocus */
  bodyWith: ({ messages, buttons }) =>
    html`<uia-fallback-frame
      exportparts="open, finished, link, text, host, actions"
      .autofocus=${true}
    >
      <div slot="messages">${messages}</div>
      <div slot="actions" class="row">${buttons}</div>
    </uia-fallback-frame>`,
  /* eslint-enable lit-a11y/no-autofocus */
});

/**
 * A page of the homeserver or the authorization server that completes the stage.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#fallback
 */
export const fallback: Stage = lazyStage(async () => {
  await loadFallback();
  return view;
});
