import { html, nothing, type TemplateResult } from "lit";
import { errorIdOf, problemText, renderError } from "../../../shared/lazy/field.js";
import { insert } from "../../../shared/lazy/format-text.js";
import { readPolicies, type Policy } from "./policies.js";
import type { Stage, StageContext } from "./stage-view.js";

/** @see https://spec.matrix.org/v1.19/client-server-api/#terms-of-service-at-registration */
export const terms: Stage = (context) => {
  const { session, term, language } = context;
  const policies = readPolicies(session.params, language);
  if (!policies)
    return { body: html`<p class="error" role="alert">${term("uiaTermsUnreadable")}</p>` };
  return {
    instruction: term("uiaTermsAsk"),
    generic: true,
    // Accepting one policy does not accept its replacement.
    purpose: JSON.stringify(policies),
    fields: html`${policies.map((policy, index) => checkbox(context, policy, index))}`,
    action: term("uiaAccept"),
    onSubmit: () => session.submit({ type: session.stage }),
  };
};

function checkbox(
  context: StageContext,
  { name, url, language }: Policy,
  index: number,
): TemplateResult {
  const { id, term } = context;
  const own = id(`policy-${String(index)}`);
  const error = problemText(context, own, "uiaTermsAsk");
  return html`<div class="choice">
      <input
        type="checkbox"
        required
        aria-invalid=${error === undefined ? "false" : "true"}
        aria-describedby=${error === undefined ? nothing : errorIdOf(own)}
        id=${own}
      />
      <label for=${own}
        >${insert(
          term("uiaTermsAccept"),
          "policy",
          html`<a href=${url} target="_blank" rel="noopener noreferrer"
            ><bdi lang=${language ?? nothing}>${name}</bdi
            ><span class="uia-visually-hidden"> ${term("uiaNewWindow")}</span></a
          >`,
        )}</label
      >
    </div>
    ${renderError(own, error)}`;
}
