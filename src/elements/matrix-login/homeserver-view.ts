import { html, nothing, type TemplateResult } from "lit";
import type { MatrixLoginController } from "./controller.js";
import type * as FirstScreenPart from "./first-screen.js";
import { serverNameOf } from "./settings.js";
import { term } from "./texts.js";

/** The homeserver field. A homeserver is looked up while the user types, but errors aren't shown. */
export function renderHomeserver(
  controller: MatrixLoginController,
  {
    homeserverSlot,
    renderContinue,
    renderHomeserverField,
    renderServerName,
  }: typeof FirstScreenPart,
  alert: TemplateResult | typeof nothing,
): TemplateResult {
  const { host, state, place, homeserver, error, asksForHomeserver } = controller;
  const isBusy = state.name === "checking";
  const confirm = (): void => void controller.confirmHomeserver(true);
  if (host.homeserverLocked) {
    // After a cancellation, only this button repeats the lookup.
    const isCancelled = state.name === "idle" && place.server;
    const button = isCancelled ? renderContinue(host, isBusy, confirm) : nothing;
    return homeserverSlot(html`${renderServerName(host, homeserver)}${button}`);
  }
  if (place.found && !place.isTyping) return homeserverSlot(renderChosen(controller));
  return homeserverSlot(
    renderHomeserverField(host, {
      value: homeserver,
      isInvalid: !place.found && !!error,
      alert,
      asks: asksForHomeserver,
      isBusy,
      type: (value) => controller.typeHomeserver(value),
      // Browsers also fire this event when they remove the focused field. The field's value is
      // already submitted by then.
      leave: () => {
        const isTyped = controller.place.isTyping && controller.homeserver.trim();
        if (isTyped) void controller.confirmHomeserver(false);
      },
      confirm,
      createAccount:
        asksForHomeserver && !host.noRegistration
          ? () => void controller.createAccount()
          : undefined,
    }),
  );
}

/**
 * It is as high as the field. Therefore a click on something below still hits its target, although
 * the click removes the field.
 */
function renderChosen(controller: MatrixLoginController): TemplateResult {
  const { host, homeserver } = controller;
  const onClick = async (): Promise<void> => {
    controller.changeHomeserver();
    await host.updateComplete;
    const field = host.shadowRoot?.querySelector<HTMLInputElement>("#homeserver");
    field?.focus();
    field?.select();
  };
  return html`<div part="homeserver" class="field">
    <div class="label">${term(host, "homeserver")}</div>
    <div class="chosen">
      <bdi id="server-name" part="server-name" translate="no">${serverNameOf(homeserver)}</bdi>
      <button
        part="change"
        class="link"
        type="button"
        aria-describedby="server-name"
        @click=${onClick}
      >
        ${term(host, "homeserverChange")}
      </button>
    </div>
  </div>`;
}
