import { css, html, nothing, type TemplateResult } from "lit";
import { AuthType, isOAuth } from "../../core/uia/options.js";
import type { FallbackPage } from "../../events/uia-fallback.js";
import { fallbackTexts, loginErrorTexts, popupTexts } from "../../texts/english.js";
import { type Localize, partTexts } from "../../texts/part-texts.js";
import { renderLabel, watchLabel } from "../../ui/element.js";
import type { LoadedPart } from "../../ui/loading.js";
import { controlStyles } from "../../ui/form/content-styles.js";
import { ButtonRow, oncePerDoubleClick } from "../../ui/form/buttons.js";
import { addStyles, errorBox, uiaTokens } from "../../ui/form/styles.js";
import { insert } from "../../ui/format-text.js";
import type { UiaFallbackFrameElement } from "./uia-fallback-frame.js";
import { FallbackController, reports } from "./controller.js";

const { errorHomeserverSettings } = loginErrorTexts;
const texts = partTexts(popupTexts, fallbackTexts, { errorHomeserverSettings });
type TextKey = Parameters<typeof texts.term>[1];

export function create(host: UiaFallbackFrameElement): LoadedPart<FallbackController> {
  watchLabel(host);
  const controller = new FallbackController(host);
  const row = new ButtonRow(host);
  // In a dialog, its heading has the focus until then.
  const takeFocus = {
    hostUpdated(): void {
      host.removeController(takeFocus);
      if (host.autofocus && controller.isInDialog) host.focus();
    },
  };
  host.addController(takeFocus);
  let focused: Element | null | undefined;
  host.addController({
    hostUpdate() {
      focused = host.shadowRoot?.activeElement;
    },
    // A pressed button might have disappeared.
    hostUpdated() {
      const text = host.shadowRoot?.querySelector<HTMLElement>("[part=text][tabindex]");
      if (focused && !host.shadowRoot?.activeElement) text?.focus();
    },
  });
  return { controller, render: () => renderFallback(controller, row) };
}

function renderFallback(controller: FallbackController, row: ButtonRow): TemplateResult {
  const { host } = controller;
  addStyles(host, uiaTokens, controlStyles, errorBox, frameStyles);
  const { page, isEnding, isFramed, state } = controller;
  const unknown = html`<p class="error" part="text" role="alert">
    ${texts.term(host.localize, "errorHomeserverSettings")}
  </p>`;
  // With the page's own buttons, the row has no room for it.
  const isAbove = host.querySelector("[slot=actions]") !== null;
  const isUnopened = state.name === "idle" && !isFramed;
  // The link to a blocked page comes first, and opens the page in its own window.
  const isBlocked = state.name === "blocked";
  const again = page && !isUnopened && !isBlocked ? renderOpen(controller, "quiet") : nothing;
  const finished = html`<button
    part="finished"
    type="button"
    ?disabled=${host.isDisabled}
    class=${isBlocked ? "quiet" : nothing}
    @click=${oncePerDoubleClick(() => controller.done())}
  >
    ${texts.term(host.localize, "fallbackFinished")}
  </button>`;
  return html`${page ? renderPage(controller, page) : isEnding ? nothing : unknown}
    <slot name="messages"></slot>
    ${isAbove ? again : nothing}
    <div part="actions" class="actions">
      ${row.render(
        isAbove ? nothing : again,
        html`<slot name="actions"></slot>`,
        page && !isReported(controller)
          ? isUnopened
            ? renderOpen(controller, "")
            : finished
          : nothing,
      )}
    </div>`;
}

function renderPage(controller: FallbackController, { url, stage }: FallbackPage): TemplateResult {
  const { localize } = controller.host;
  // `allow-same-origin` is left out: otherwise a page of this page's own origin, even after a
  // redirect, could access this page and remove its own sandbox.
  const frame = html`<iframe
    part="frame"
    src=${url}
    title=${texts.term(localize, "fallbackFrame")}
    sandbox="allow-scripts allow-forms allow-popups"
    referrerpolicy="no-referrer"
    @load=${() => controller.framed()}
  ></iframe>`;
  const name = html`<bdi dir="ltr" translate="no">${new URL(url).host}</bdi>`;
  const opens = insert(texts.term(localize, "fallbackHost"), "host", name);
  const host = html`<p part="host">${opens}</p>`;
  const link = html`<a
    part="link"
    class="button"
    href=${url}
    @click=${() => setTimeout(() => void focusAfter(controller, () => controller.linkUsed()))}
    target="_blank"
    rel=${reports(stage) ? "opener" : "noopener"}
    >${texts.term(localize, "popupLink")}</a
  >`;
  const notice = noticeOf(controller);
  return html`${controller.isFramed ? frame : host}
    <p part="text" role="status" tabindex=${isReported(controller) ? "-1" : nothing}>
      ${notice && texts.term(localize, notice)}
    </p>
    ${controller.state.name === "blocked" ? link : nothing}`;
}

/**
 * Whether nothing is left to do here. A surrounding dialog shows that it is checking, and the user
 * reports again if the stage is not complete.
 */
const isReported = ({ state, isInDialog }: FallbackController): boolean =>
  state.name === "done" && !isInDialog;

/** The message about the page's state. */
function noticeOf(controller: FallbackController): TextKey | undefined {
  const { state } = controller;
  if (state.name === "open") return state.isClosed ? "fallbackClosed" : "popupOpened";
  if (state.name === "done") return isReported(controller) ? "fallbackDone" : undefined;
  return state.name === "blocked" ? "popupBlocked" : undefined;
}

function renderOpen(controller: FallbackController, look: "quiet" | ""): TemplateResult {
  const { host, isFramed, state } = controller;
  const isFirst =
    state.name === "idle" || state.name === "framed" || (state.name === "done" && state.isFramed);
  const label = isFirst ? (isFramed ? "popupLink" : "fallbackOpen") : "fallbackAgain";
  return html`<button
    part="open"
    type="button"
    ?disabled=${controller.isWaiting || host.isDisabled}
    class=${look}
    @click=${oncePerDoubleClick(() => focusAfter(controller, () => controller.open()))}
  >
    ${renderLabel(host, texts.term(host.localize, label))}
  </button>`;
}

/** The focus moves to the user's next action on this page. */
async function focusAfter(controller: FallbackController, opens: () => void): Promise<void> {
  const { host } = controller;
  opens();
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
  [part="text"]:focus {
    outline: none;
  }
  p:empty {
    margin: 0;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: calc(1.5 * var(--_gap));
  }
  button:not(.quiet) {
    min-inline-size: min(8em, 100%);
  }
  [part="host"] {
    /* It starts where the page's texts do. */
    unicode-bidi: normal;
  }
  [part="host"] bdi {
    font-weight: 600;
  }
  [part="link"] {
    box-sizing: border-box;
    display: flex;
    inline-size: fit-content;
    text-align: center;
    text-decoration: none;
    margin-block-end: 0.75em;
  }
  .quiet {
    padding-inline: 0;
    border: 0;
    background: none;
    color: var(--_link);
    font-weight: inherit;
    text-decoration: underline;
  }
  @media (max-width: 26em) {
    .actions {
      flex-direction: column;
      align-items: stretch;
    }
    [part="link"] {
      inline-size: auto;
    }
    .actions > .quiet {
      text-align: center;
    }
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
