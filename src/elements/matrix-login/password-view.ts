import { html, nothing, type TemplateResult } from "lit";
import { loadedTexts } from "../../texts/part-texts.js";
import { field, valueOf, valuesOf } from "../../ui/form/field.js";
import { renderSubmit } from "../../ui/form/buttons.js";
import { insert, verbatim } from "../../ui/format-text.js";
import type { MatrixLoginController } from "./controller.js";
import type { FoundHomeserver } from "./lookup.js";
import { isUsersChoice, localpartOf } from "./settings.js";
import { term } from "./texts.js";

const signInTo = ({ host }: MatrixLoginController, server: string): TemplateResult =>
  insert(term(host, "signInTo"), "server", verbatim(server));

export function renderPassword(
  controller: MatrixLoginController,
  { homeserverUrl }: FoundHomeserver,
  alert: TemplateResult,
): TemplateResult {
  const { form, state, isBusy } = controller;
  const isSubmitting = state.name === "submitting";
  const disabled = !isSubmitting && isBusy;
  const text = signInTo(controller, new URL(homeserverUrl).host);
  return html`<slot name="fields"></slot> ${alert} ${renderElsewhere(controller)}
    ${renderSubmit(text, isSubmitting, () => form.submit(), { disabled })}`;
}

/** The button that switches to the user's own homeserver. */
function renderElsewhere(controller: MatrixLoginController): TemplateResult | typeof nothing {
  const { host, error } = controller;
  const { homeserver: server } = (error ?? {}) as { readonly homeserver?: string };
  if (!server || !isUsersChoice(host)) return nothing;
  const onClick = (): unknown => controller.check({ server, movesFocus: true });
  return html`<button part="change" class="link" type="button" @click=${onClick}>
    <span>${signInTo(controller, server)}</span>
  </button>`;
}

/** Shows the fields, in the light DOM. */
export function showPasswordFields(
  controller: MatrixLoginController,
  found: FoundHomeserver,
): HTMLFormElement {
  const { form, host, username, error } = controller;
  const errorId = error?.code === "credentials_invalid" ? form.id("error") : undefined;
  // The element shows the error, but a field can only reference an element in the same tree.
  const description = html`<p class="uia-visually-hidden" id=${errorId}>
    ${loadedTexts.term(host.localize, "errorCredentials")}
  </p>`;
  const fields = html`${field(form, {
    name: "username",
    label: term(host, host.userId ? "userId" : "usernameOrEmail"),
    autocomplete: "username",
    value: host.userId || username || localpartOf(found.homeserver) || "",
    readonly: !!host.userId,
    errorId,
  })}${field(form, {
    name: "password",
    label: term(host, "password"),
    type: "password",
    autocomplete: "current-password",
    errorId,
  })}${errorId ? description : nothing}`;
  const element = form.show({
    purpose: `${found.homeserverUrl} ${host.userId ?? ""}`,
    fields,
    isBusy: () => controller.isBusy,
    submit: (values) => controller.submitPassword(found, values),
  });
  element.oninput = (): void => {
    controller.typeUsername(valueOf(valuesOf(element), "username"));
  };
  return element;
}
