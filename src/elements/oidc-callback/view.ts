import { html, nothing } from "lit";
import { ErrorView } from "../../errors/error-view.js";
import { loadedErrorMessages, loadErrorMessages } from "../../errors/load-error-messages.js";
import { addStyles } from "../../ui/form/styles.js";
import { type LoadedPart, lazyPart } from "../../ui/loading.js";
import { CallbackController } from "./controller.js";
import type { OidcCallbackElement } from "./oidc-callback.js";
import type * as OutcomeView from "./outcome-view.js";
import { renderPanel, renderPending } from "./panel.js";

let outcomeView: typeof OutcomeView | undefined;

export const loadOutcomeView = /* @__PURE__ */ lazyPart(
  async () => (outcomeView = await import("./outcome-view.js")),
);

export function create(host: OidcCallbackElement): LoadedPart<CallbackController> {
  const errors = new ErrorView(host);
  const controller = new CallbackController(host, errors);
  /** The outcome whose view was loaded or has failed to load. */
  let tried: object | undefined;
  const load = async (outcome: object): Promise<void> => {
    // The box must not appear later than the rest.
    const message = controller.error ? [loadErrorMessages()] : [];
    await Promise.allSettled([loadOutcomeView(), ...message]);
    tried = outcome;
    host.requestUpdate();
  };
  const render = (): unknown => {
    const { publicState: state, error, success, canRetry } = controller;
    if (state === "idle") return nothing;
    // Sets the system's font.
    addStyles(host);
    const outcome = error ?? success;
    if (!outcome) return renderPending(host.localize, errors.render(undefined));
    const isLoaded = !error || loadedErrorMessages() !== undefined;
    if (outcomeView && (isLoaded || tried === outcome)) {
      return outcomeView.renderOutcome(host, controller, errors);
    }
    if (tried === outcome) {
      const retry = canRetry ? () => controller.retry() : undefined;
      const alert = errors.render(error, { retry });
      const status = success && html`<slot name="success"></slot>`;
      return renderPanel(host.localize, { heading: success && nothing, status, alert });
    }
    void load(outcome);
    return renderPending(host.localize, errors.render(undefined));
  };
  return { controller, render };
}
