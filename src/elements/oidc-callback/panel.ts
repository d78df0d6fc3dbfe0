import { css, type CSSResult, html, type TemplateResult } from "lit";
import type { LocalizeController } from "../../ui/localize.js";

type PanelContent = Partial<Record<"heading" | "status" | "alert" | "actions", unknown>>;

/**
 * The panel. It is shown from the start, so it isn't in the lazy part. Its default heading is "Sign
 * in".
 */
export const renderPanel = (
  localize: LocalizeController,
  { heading, status, alert, actions }: PanelContent,
): TemplateResult =>
  html`<div part="panel" class="panel">
    ${heading ?? html`<h2 part="heading">${localize.term("signIn")}</h2>`}
    <div role="status" tabindex="-1">${status}</div>
    ${alert ?? html`<div role="alert"></div>`} ${actions}
  </div>`;

export const renderPending = (localize: LocalizeController, alert?: unknown): TemplateResult =>
  renderPanel(localize, {
    alert,
    status: html`<slot name="pending"
      ><div part="pending">
        <span part="spinner"></span><span>${localize.term("completing")}</span>
      </div></slot
    >`,
  });

export const callbackPanelStyles: CSSResult = css`
  :host {
    display: block;
  }
  .panel {
    max-inline-size: var(--oidc-callback-inline-size, 24em);
  }
  /* A live region stays in the page while it is empty, but takes no space. */
  [role]:empty {
    position: absolute;
  }
  [part="pending"] {
    display: flex;
    align-items: center;
    gap: var(--_gap);
  }
`;
