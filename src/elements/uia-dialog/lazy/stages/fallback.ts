import { html } from "lit";
import { AuthType, isOAuth } from "../../../../core/uia/auth-type.js";
import { FetchedStage } from "./lazy-stage.js";
import type { Stage } from "./stage-view.js";

const view: Stage = ({ session: { stage }, term }) => ({
  ask: term(
    stage === AuthType.Sso || stage === AuthType.SsoUnstable
      ? "uiaSsoAsk"
      : isOAuth(stage)
        ? "uiaOAuthAsk"
        : "uiaFallbackAsk",
  ),
  // The dialog has just opened or reached this stage: the focus has to go somewhere.
  /* eslint-disable lit-a11y/no-autofocus */
  body: html`<uia-fallback-frame
    exportparts="open, finished, link, text"
    .autofocus=${true}
  ></uia-fallback-frame>`,
  /* eslint-enable lit-a11y/no-autofocus */
});

/**
 * A page of the homeserver or the authorization server that completes the stage.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#fallback
 */
export const fallback: FetchedStage = new FetchedStage(async () => {
  await import("../../../uia-fallback-frame/lazy/index.js");
  return view;
});
