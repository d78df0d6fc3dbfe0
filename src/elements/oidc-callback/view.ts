import { html, nothing } from "lit";
import { loadErrorMessages } from "../../errors/load-error-messages.js";
import { addStyles } from "../../ui/form/styles.js";
import { type LoadedPart, lazyPart } from "../../ui/loading.js";
import { CallbackController } from "./controller.js";
import type { OidcCallbackElement } from "./oidc-callback.js";
import { renderPanel, renderPending } from "./panel.js";

export const loadOutcomeView = /* @__PURE__ */ lazyPart(() => import("./outcome-view.js"));

export function create(host: OidcCallbackElement): LoadedPart<CallbackController> {
  const controller = new CallbackController(host);
  const { errors } = controller;
  /** The outcome that is shown, even if its code can't be loaded. */
  let shown: object | undefined;
  const show = async (outcome: object): Promise<void> => {
    // The box must not appear later than the rest.
    const message = controller.error ? [loadErrorMessages()] : [];
    await Promise.allSettled([loadOutcomeView(), ...message]);
    shown = outcome;
    host.requestUpdate();
  };
  const render = (): unknown => {
    const { publicState: state, error, success, canRetry } = controller;
    if (state === "idle") return nothing;
    // Sets the system's font.
    addStyles(host);
    const outcome = error ?? success;
    const view = loadOutcomeView.loaded;
    const isLoaded = view && (!error || loadErrorMessages.loaded);
    if (!outcome || !(isLoaded || outcome === shown)) {
      if (outcome) void show(outcome);
      return renderPending(host.localize, errors.render(undefined));
    }
    if (view) return view.renderOutcome(controller);
    const retry = canRetry ? () => controller.retry() : undefined;
    const alert = errors.render(error, { retry });
    const status = success && html`<slot name="success"></slot>`;
    return renderPanel(host.localize, { heading: success && nothing, status, alert });
  };
  return { controller, render };
}
