import { css, html, nothing, type TemplateResult } from "lit";
import { AuthType, isOAuth } from "../../../core/uia/options.js";
import type { FallbackPage } from "../../../events/uia-fallback.js";
import { fallbackTexts, loginTexts, popupTexts } from "../../../texts/english.js";
import { type Localize, partTexts } from "../../../texts/part-texts.js";
import { renderLabel, watchLabel } from "../../../ui/element.js";
import type { LoadedPart } from "../../../ui/lazy.js";
import { oncePerDoubleClick } from "../../../ui/lazy/form.js";
import { addStyles, errorBox, uiaTokens } from "../../../ui/lazy/styles.js";
import type { UiaFallbackFrameElement } from "../uia-fallback-frame.js";
import { FallbackController, reports } from "./controller.js";

const { errorHomeserverSettings } = loginTexts;
const texts = partTexts(popupTexts, fallbackTexts, { errorHomeserverSettings });
type TextKey = Parameters<typeof texts.term>[1];

export function createFallback(host: UiaFallbackFrameElement): LoadedPart<FallbackController> {
  watchLabel(host);
  const controller = new FallbackController(host);
  // The browser's own `autofocus` does not cover elements that are rendered later.
  const takeFocus = {
    hostUpdated(): void {
      host.removeController(takeFocus);
      if (host.autofocus) host.focus();
    },
  };
  host.addController(takeFocus);
  return { controller, render: () => renderFallback(host, controller) };
}

function renderFallback(
  host: UiaFallbackFrameElement,
  controller: FallbackController,
): TemplateResult {
  addStyles(host, uiaTokens, errorBox, frameStyles);
  const { page, isFramed, state } = controller;
  const filled = host.querySelector("[slot=actions]") ? "filled" : "";
  const isUnopened = state.name === "idle" && !isFramed;
  const finished = html`<button
    part="finished"
    type="button"
    @click=${oncePerDoubleClick(() => controller.done())}
  >
    ${texts.term(host.localize, "fallbackFinished")}
  </button>`;
  return html`${page ? renderPage(host, controller, page) : renderNone(host, controller)}
    <slot name="messages"></slot>
    <div part="actions" class="actions ${filled}">
      ${page && !isUnopened ? renderOpen(host, controller, "quiet") : nothing}<slot
        name="actions"
      ></slot>
      ${page ? (isUnopened ? renderOpen(host, controller, "") : finished) : nothing}
    </div>`;
}

function renderNone(
  { localize }: UiaFallbackFrameElement,
  { isEnding }: FallbackController,
): TemplateResult | typeof nothing {
  if (isEnding) return nothing;
  return html`<p class="error" part="text" role="alert">
    ${texts.term(localize, "errorHomeserverSettings")}
  </p>`;
}

function renderPage(
  { localize }: UiaFallbackFrameElement,
  controller: FallbackController,
  { url, stage }: FallbackPage,
): TemplateResult {
  // Without `allow-same-origin`: a page of this page's own origin, also after a redirect, could
  // otherwise reach this page, and remove its sandbox.
  const frame = html`<iframe
    part="frame"
    src=${url}
    title=${texts.term(localize, "fallbackFrame")}
    sandbox="allow-scripts allow-forms allow-popups"
    referrerpolicy="no-referrer"
    @load=${() => controller.framed()}
  ></iframe>`;
  const host = html`<p part="host"><bdi dir="ltr">${new URL(url).host}</bdi></p>`;
  const link = html`<a
    part="link"
    href=${url}
    target="_blank"
    rel=${reports(stage) ? "opener" : "noopener"}
    >${texts.term(localize, "popupLink")}</a
  >`;
  const notice = noticeOf(controller);
  return html`${controller.isFramed ? frame : host}
    <p part="text" role="status">${notice && texts.term(localize, notice)}</p>
    ${controller.state.name === "blocked" ? link : nothing}`;
}

/** What happened to the page. */
function noticeOf({ state }: FallbackController): TextKey | undefined {
  if (state.name === "open") return state.isClosed ? "fallbackClosed" : "popupOpened";
  return state.name === "blocked" ? "popupBlocked" : undefined;
}

function renderOpen(
  host: UiaFallbackFrameElement,
  controller: FallbackController,
  look: "quiet" | "",
): TemplateResult {
  const { isFramed, state } = controller;
  const isFirst =
    state.name === "idle" || state.name === "framed" || (state.name === "done" && state.isFramed);
  const label = isFirst ? (isFramed ? "popupLink" : "fallbackOpen") : "fallbackAgain";
  return html`<button
    part="open"
    type="button"
    class=${look}
    @click=${oncePerDoubleClick(() => openWithFocus(host, controller))}
  >
    ${renderLabel(host, texts.term(host.localize, label))}
  </button>`;
}

/** The focus moves to the user's next action on this page. */
async function openWithFocus(
  host: UiaFallbackFrameElement,
  controller: FallbackController,
): Promise<void> {
  controller.open();
  const next = controller.state.name === "blocked" ? "link" : "finished";
  await host.updateComplete;
  host.renderRoot.querySelector<HTMLElement>(`[part=${next}]`)?.focus();
}

/** The instruction for the page of a stage. */
export function instructionOf(localize: Localize, stage: string): string {
  const isSso = stage === AuthType.Sso || stage === AuthType.SsoUnstable;
  const key = isOAuth(stage) ? "approvalAsk" : isSso ? "ssoAsk" : "fallbackAsk";
  return texts.term(localize, key);
}

const frameStyles = css`
  :host {
    display: block;
  }
  p {
    margin-block: 0 0.75em;
    line-height: 1.45;
  }
  p:empty {
    margin: 0;
  }
  .actions {
    display: flex;
    /* If they do not fit side by side, the last is above the others. */
    flex-wrap: wrap-reverse;
    align-items: center;
    gap: calc(1.5 * var(--_gap));
  }
  button:not(.quiet) {
    min-inline-size: min(8em, 100%);
  }
  [part="host"] {
    /* It is left to right, and starts where the page's texts do. */
    unicode-bidi: normal;
    font-weight: 600;
  }
  /* A second window next to this one. */
  [part="host"]::after {
    content: " ↗";
    content: " ↗" / "";
    opacity: 0.7;
  }
  :host(:dir(rtl)) [part="host"]::after {
    content: " ↖";
    content: " ↖" / "";
  }
  [part="link"] {
    display: block;
    inline-size: fit-content;
    padding-block: 0.25em;
    color: var(--_accent);
    margin-block-end: 0.75em;
  }
  /* Next to the page's own buttons. */
  .filled > .quiet {
    margin-inline-end: auto;
  }
  .quiet {
    padding-inline: 0;
    border: 0;
    background: none;
    color: var(--_accent);
    font-weight: inherit;
    text-decoration: underline;
  }
  iframe {
    box-sizing: border-box;
    inline-size: 100%;
    block-size: var(--uia-frame-block-size, 24em);
    margin-block-end: 0.75em;
    border: 1px solid color-mix(in srgb, currentcolor 20%, transparent);
    border-radius: min(var(--_radius), 0.75em);
    background: #fff;
  }
`;
