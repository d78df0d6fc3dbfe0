import { css, html, nothing, type TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session.js";
import { isText, presentMembers, toJson } from "../../../core/http/json.js";
import { urlNamedBy } from "../../../core/http/this-machine.js";
import {
  fieldTexts,
  loginErrorTexts,
  registrationTexts,
  validationTexts,
} from "../../../texts/english.js";
import { partTexts } from "../../../texts/part-texts.js";
import { matchingTags } from "../../../texts/texts.js";
import { checkbox } from "../../../ui/form/choice.js";
import { errorIdOf, problemText, renderError } from "../../../ui/form/field.js";
import { insert, isolated, knownTag } from "../../../ui/format-text.js";
import { adoptStyles } from "../../../ui/styles.js";
import type { LoadCaptcha } from "../options.js";
import { oneField } from "./one-field.js";
import { fallback, type Stage, type StageContext, type StageView } from "./stage-view.js";
import { tokenOf } from "./typed-code.js";

// The stages of registrations. Few other requests need them.

const { errorHomeserverSettings } = loginErrorTexts;
const texts = partTexts(fieldTexts, registrationTexts, validationTexts, {
  errorHomeserverSettings,
});

/** @see https://spec.matrix.org/v1.19/client-server-api/#token-authenticated-registration */
export const registrationToken: Stage = (context) => {
  const { session } = context;
  const label = texts.term(context, "token");
  const value = session.inputs.registrationToken ?? "";
  const token = { name: "token", label, autocomplete: "off", secret: true, value };
  return {
    ...oneField(context, token, (typed) =>
      session.submit({ type: session.stage, token: tokenOf(typed) }),
    ),
    instruction: texts.term(context, "tokenAsk"),
  };
};

/** @see https://spec.matrix.org/v1.19/client-server-api/#email-based-identity--homeserver */
export const email: Stage = (context) => {
  const { session } = context;
  const isSent = session.status.emailSid !== undefined && !session.changing;
  return isSent ? waitForEmailLink(context) : askAddress(context);
};

function askAddress(context: StageContext): StageView {
  const { session } = context;
  const label = texts.term(context, "email");
  const value = session.email ?? "";
  const address = { name: "email", label, type: "email", autocomplete: "email", value } as const;
  return {
    ...oneField(context, address, (typed) => session.requestEmailToken(typed)),
    instruction: texts.term(context, "emailAsk"),
    action: { label: texts.term(context, "emailSend") },
  };
}

function waitForEmailLink(context: StageContext): StageView {
  const { session } = context;
  // A session may be resumed by a page that does not know the address.
  const where = session.email
    ? html`<p>${insert(texts.term(context, "linkSent"), "address", isolated(session.email))}</p>`
    : nothing;
  return {
    details: html`${where}
      <p>${texts.term(context, "linkWaiting")}</p>`,
    action: "continue",
    onSubmit: () => session.finish(),
    ...(session.email && { resend: () => session.requestEmailToken() }),
    secondaryActions: [
      { label: texts.term(context, "emailChange"), onClick: () => session.changeAddress() },
    ],
  };
}

/** @see https://spec.matrix.org/v1.19/client-server-api/#terms-of-service-at-registration */
export const terms: Stage = (context) => {
  const { session, language } = context;
  const policies = readPolicies(session, language);
  if (!policies)
    return {
      body: html`<p class="error" role="alert">
        ${texts.term(context, "errorHomeserverSettings")}
      </p>`,
    };
  return {
    instruction: texts.term(context, "termsAsk"),
    generic: true,
    // Accepting one policy does not accept its replacement.
    purpose: toJson(policies),
    fields: html`${policies.map((policy, index) => renderPolicy(context, policy, index))}`,
    action: { label: texts.term(context, "accept") },
    onSubmit: () => session.submit({ type: session.stage }),
  };
};

function renderPolicy(context: StageContext, policy: Policy, index: number): TemplateResult {
  const { id } = context;
  const { name, url, language } = policy;
  const own = id(`policy-${String(index)}`);
  const error = problemText(context, own, texts.term(context, "termsAsk"));
  const link = html`<a href=${url} target="_blank" rel="noopener noreferrer"
    ><bdi lang=${language ?? nothing}>${name}</bdi
    ><span class="uia-visually-hidden"> ${texts.term(context, "newWindow")}</span></a
  >`;
  return html`<div class="choice">
      <input
        type=${checkbox(context.root)}
        required
        aria-invalid=${error === undefined ? "false" : "true"}
        aria-describedby=${error === undefined ? nothing : errorIdOf(own)}
        id=${own}
      />
      <label for=${own}>${insert(texts.term(context, "termsAccept"), "policy", link)}</label>
    </div>
    ${renderError(own, error)}`;
}

interface Policy {
  readonly name: string;
  readonly url: string;
  readonly language: string | undefined;
}

/** More than any real homeserver has. */
const MAX_POLICIES = 32;
const MAX_TRANSLATIONS = 100;
const MAX_NAME_LENGTH = 200;
/** A letter or a digit. Fillers are letters, but show nothing. */
const VISIBLE = /(?!\p{DI})[\p{L}\p{N}]/u;

/**
 * Reads the policies that a homeserver requires, each in the best matching language. Undefined if
 * one of them cannot be read, because users should not accept a policy that they can't read.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#terms-of-service-at-registration
 */
function readPolicies(
  { params, client }: UiaSession,
  language: string,
): readonly Policy[] | undefined {
  const policies = Object.values(presentMembers(presentMembers(params)["policies"]));
  if (policies.length === 0 || policies.length > MAX_POLICIES) return undefined;
  const read = policies.map((policy) => readPolicy(policy, language, client?.baseUrl ?? ""));
  return read.every((policy) => policy !== undefined) ? read : undefined;
}

function readPolicy(policy: unknown, language: string, homeserver: string): Policy | undefined {
  const readable = new Map<string, Omit<Policy, "language">>();
  const translations = Object.entries(presentMembers(policy)).slice(0, MAX_TRANSLATIONS);
  for (const [code, translation] of translations) {
    const { name, url: given } = presentMembers(translation);
    const url = urlNamedBy(homeserver, given)?.href;
    if (url === undefined) continue;
    // A link needs visible text, and must not turn the text around it.
    const isVisible = typeof name === "string" && VISIBLE.test(name);
    const named = isVisible ? name.replace(/\p{Bidi_C}/gu, "") : url;
    // Servers send both `pt_BR` and `pt-BR`.
    const tag = code.toLowerCase().replace(/_/g, "-");
    readable.set(tag, { name: named.slice(0, MAX_NAME_LENGTH), url });
  }
  const [first = "en"] = readable.keys();
  const best = [...matchingTags(language), "en"].find((code) => readable.has(code)) ?? first;
  const chosen = readable.get(best);
  return chosen && { ...chosen, language: knownTag(best) };
}

/** A captcha in its container. It stays there, and submits to the latest session. */
interface Widget {
  session: UiaSession;
  /** A response is valid for one attempt. */
  used: boolean;
  reset: () => void;
}

/** The width of a captcha of normal size, in CSS pixels. */
const CAPTCHA_WIDTH = 304;

const widgets = new WeakMap<Element, Widget>();
/** The loaders that failed. The homeserver's page is used instead. */
const failed = new WeakSet<LoadCaptcha>();

/** A captcha has its own width. */
const captchaStyles = css`
  .uia-fields.uia-fields {
    :where(.uia-captcha) {
      all: revert;
    }
    .uia-captcha {
      overflow: auto;
    }
  }
`;

/**
 * Shows the captcha on this page if it can be loaded, otherwise on the homeserver's page.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#google-recaptcha
 */
export const captcha: Stage = (context) => {
  const { session, loadCaptcha, refresh } = context;
  const { public_key: key } = presentMembers(session.params);
  if (typeof loadCaptcha !== "function" || !isText(key) || failed.has(loadCaptcha)) {
    return fallback(context);
  }
  const giveUp = (): void => {
    failed.add(loadCaptcha);
    refresh();
  };
  adoptStyles(context.root, captchaStyles);
  return {
    instruction: texts.term(context, "captchaAsk"),
    // Google's captcha adds its images at the end of the page's body.
    nonModal: true,
    secondaryActions: [{ label: texts.term(context, "captchaElsewhere"), onClick: giveUp }],
    // In the light DOM, because the script searches the document for it.
    fields: html`<div class="uia-captcha"></div>`,
    ready(form) {
      const { firstElementChild: container } = form;
      if (!(container instanceof HTMLElement)) return;
      const widget = widgets.get(container) ?? fill(container, key, session, loadCaptcha, giveUp);
      widget.session = session;
      if (!widget.used || session.busy) return;
      widget.used = false;
      widget.reset();
    },
  };
};

function fill(
  container: HTMLElement,
  sitekey: string,
  session: UiaSession,
  load: LoadCaptcha,
  giveUp: () => void,
): Widget {
  const widget: Widget = { session, used: false, reset: () => undefined };
  widgets.set(container, widget);
  Promise.resolve()
    .then(load)
    .then((api) => {
      if (!container.isConnected) return;
      const rendered = api.render(container, {
        sitekey,
        theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
        size: container.clientWidth < CAPTCHA_WIDTH ? "compact" : "normal",
        callback(response) {
          if (widget.used) return;
          widget.used = true;
          void widget.session.submit({ type: widget.session.stage, response });
        },
        "error-callback": giveUp,
      });
      widget.reset = (): void => api.reset?.(rendered);
    })
    .catch(giveUp);
  return widget;
}
