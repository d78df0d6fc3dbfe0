import { html, nothing, type TemplateResult } from "lit";
import { webUrl } from "../../../../core/http/url.js";
import { matchingTags } from "../../../../texts/registry.js";
import { errorIdOf, problemText, renderError } from "../../../../ui/lazy/field.js";
import { insert, knownTag } from "../../../../ui/lazy/format-text.js";
import type { Stage, StageContext } from "./stage-view.js";

/** @see https://spec.matrix.org/v1.19/client-server-api/#terms-of-service-at-registration */
export const terms: Stage = (context) => {
  const { session, term, language } = context;
  const policies = readPolicies(session.params, language);
  if (!policies)
    return { body: html`<p class="error" role="alert">${term("errorHomeserverSettings")}</p>` };
  return {
    instruction: term("termsAsk"),
    generic: true,
    // Accepting one policy does not accept its replacement.
    purpose: JSON.stringify(policies),
    fields: html`${policies.map((policy, index) => checkbox(context, policy, index))}`,
    action: "accept",
    onSubmit: () => session.submit({ type: session.stage }),
  };
};

function checkbox(context: StageContext, policy: Policy, index: number): TemplateResult {
  const { id, term } = context;
  const { name, url, language } = policy;
  const own = id(`policy-${String(index)}`);
  const error = problemText(context, own, "termsAsk");
  const link = html`<a href=${url} target="_blank" rel="noopener noreferrer"
    ><bdi lang=${language ?? nothing}>${name}</bdi
    ><span class="uia-visually-hidden"> ${term("newWindow")}</span></a
  >`;
  return html`<div class="choice">
      <input
        type="checkbox"
        required
        aria-invalid=${error === undefined ? "false" : "true"}
        aria-describedby=${error === undefined ? nothing : errorIdOf(own)}
        id=${own}
      />
      <label for=${own}>${insert(term("termsAccept"), "policy", link)}</label>
    </div>
    ${renderError(own, error)}`;
}

interface Policy {
  readonly name: string;
  /** http or https. */
  readonly url: string;
  readonly language: string | undefined;
}

/** More than any real homeserver has. */
const MAX_POLICIES = 32;
const MAX_NAME_LENGTH = 200;

/**
 * Reads the policies that a homeserver requires, each in the best matching language. Undefined if
 * one of them cannot be read, because no user should accept that.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#terms-of-service-at-registration
 */
function readPolicies(params: unknown, language: string): readonly Policy[] | undefined {
  const policies = Object.values(members(members(params)["policies"]));
  if (policies.length === 0 || policies.length > MAX_POLICIES) return undefined;
  const read = policies.map((policy) => readPolicy(policy, language));
  return read.every((policy) => policy !== undefined) ? read : undefined;
}

function readPolicy(policy: unknown, language: string): Policy | undefined {
  const readable = new Map<string, Policy>();
  for (const [code, translation] of Object.entries(members(policy))) {
    const { name, url } = members(translation);
    if (typeof url !== "string" || !webUrl(url)) continue;
    // A link needs visible text.
    const named = typeof name === "string" && /[\p{L}\p{N}]/u.test(name) ? name : url;
    // Servers send both `pt_BR` and `pt-BR`.
    const tag = code.toLowerCase().replace(/_/g, "-");
    readable.set(tag, { name: named.slice(0, MAX_NAME_LENGTH), url, language: knownTag(tag) });
  }
  const best = [...matchingTags(language)].find((code) => readable.has(code)) ?? "en";
  const [first] = readable.values();
  return readable.get(best) ?? first;
}

/** Of what is not an object, nothing that a policy has. */
const members = (value: unknown) => Object(value) as Readonly<Record<string, unknown>>;
