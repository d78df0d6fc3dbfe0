import { html, nothing, type TemplateResult } from "lit";
import { inputOf, isComposing } from "../../../ui/lazy/field.js";
import { renderSubmit } from "../../../ui/lazy/form.js";
import type { MatrixLoginController } from "./controller.js";
import { readSuggestions, serverNameOf } from "./settings.js";
import { term } from "./texts.js";

/** The homeserver field. A homeserver is looked up while the user types, but errors aren't shown. */
export function renderHomeserver(
  controller: MatrixLoginController,
  alert: TemplateResult | typeof nothing,
): TemplateResult {
  const { host, state, place, homeserver, error, asksForHomeserver } = controller;
  if (host.homeserverLocked) {
    // Only this repeats the lookup after a cancellation.
    const isAsked = state.name !== "idle" || !homeserver;
    return html`${renderServerName(controller)}${isAsked ? nothing : renderButton(controller)}`;
  }
  if (place.found && !place.isTyping) return renderChosen(controller);
  const invalid = !place.found && error;
  const options = readSuggestions(host).map((each) => html`<option value=${each}></option>`);
  const suggestions = html`<datalist id="suggestions">${options}</datalist>`;
  const onInput = (event: Event): void => controller.typeHomeserver(inputOf(event).value);
  // Browsers also fire it when they remove the focused field, whose value is submitted by then.
  const onChange = (): void => {
    const isTyped = controller.place.isTyping && controller.homeserver.trim();
    if (isTyped) void controller.confirmHomeserver(false);
  };
  const onKeydown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || isComposing(event)) return;
    // The same key press must not trigger the next focused button.
    event.preventDefault();
    void controller.confirmHomeserver(true);
  };
  return html`<div part="homeserver" class="field">
    <div class="uia-fields">
      <label for="homeserver">${term(host, "homeserver")}</label>
      <input
        id="homeserver"
        name="homeserver"
        list=${options.length > 0 ? "suggestions" : nothing}
        .value=${homeserver}
        inputmode="url"
        enterkeyhint="next"
        autocomplete="off"
        autocapitalize="none"
        autocorrect="off"
        spellcheck="false"
        dir="ltr"
        placeholder=${term(host, "homeserverExample")}
        aria-invalid=${invalid ? "true" : nothing}
        aria-describedby=${invalid ? "error" : nothing}
        ?disabled=${host.disabled}
        @input=${onInput}
        @change=${onChange}
        @keydown=${onKeydown}
      />
      ${options.length > 0 ? suggestions : nothing}
    </div>
    ${alert} ${asksForHomeserver ? renderButton(controller) : nothing}
  </div>`;
}

/** As high as the field: a click below it, which leaves the field, still hits its target. */
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
      <bdi id="server-name" part="server-name">${serverNameOf(homeserver)}</bdi>
      <button
        part="change"
        class="link"
        type="button"
        ?disabled=${host.disabled}
        aria-describedby="server-name"
        @click=${onClick}
      >
        ${term(host, "homeserverChange")}
      </button>
    </div>
  </div>`;
}

function renderButton(controller: MatrixLoginController): TemplateResult {
  const { host } = controller;
  const busy = controller.state.name === "checking";
  const onClick = (): void => void controller.confirmHomeserver(true);
  return renderSubmit(term(host, "continue"), busy, onClick, {
    part: "continue",
    disabled: host.disabled,
  });
}

export function renderServerName({ homeserver }: MatrixLoginController): TemplateResult {
  const name = serverNameOf(homeserver);
  return html`<div part="server-name" class="server-name"><bdi>${name}</bdi></div>`;
}
