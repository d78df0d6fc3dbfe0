import { html } from "lit";
import type { UiaSession } from "../../../../context/uia-session.js";
import type { LoadCaptcha } from "../host.js";
import { fallback } from "./fallback.js";
import type { Stage } from "./stage-view.js";

/** A captcha in its container: it stays there and submits to the latest session. */
interface Widget {
  session: UiaSession;
  /** A response is valid for one attempt. */
  used: boolean;
  reset: () => void;
}

/** The width of a captcha of normal size, in CSS pixels. */
const CAPTCHA_WIDTH = 304;

const widgets = new WeakMap<Element, Widget>();
/** Loaders that failed: the homeserver's page is used instead. */
const failed = new WeakSet<LoadCaptcha>();

/**
 * In the page if the captcha can be loaded, else on the homeserver's page.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#google-recaptcha
 */
export const captcha: Stage = (context) => {
  const { session, term, loadCaptcha, refresh } = context;
  const key = (Object(session.params) as { public_key?: unknown }).public_key;
  if (
    typeof loadCaptcha !== "function" ||
    typeof key !== "string" ||
    !key ||
    failed.has(loadCaptcha)
  )
    return fallback(context);
  const giveUp = (): void => {
    failed.add(loadCaptcha);
    refresh();
  };
  return {
    instruction: term("captchaAsk"),
    // Google's puts its images at the end of the page's body.
    nonModal: true,
    secondaryActions: [{ label: term("captchaElsewhere"), onClick: giveUp }],
    // In light DOM: the script looks for it in the document.
    fields: html`<div class="uia-captcha"></div>`,
    ready: ({ firstElementChild: container }) => {
      if (container instanceof HTMLElement) fill(container, key, session, loadCaptcha, giveUp);
    },
  };
};

function fill(
  container: HTMLElement,
  sitekey: string,
  session: UiaSession,
  load: LoadCaptcha,
  giveUp: () => void,
): void {
  const present = widgets.get(container);
  if (present) {
    if (present.used && !session.busy) {
      present.used = false;
      present.reset();
    }
    present.session = session;
    return;
  }
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
}
