import {
  css,
  type CSSResult,
  html,
  nothing,
  type ReactiveController,
  type TemplateResult,
} from "lit";
import type { AuthElement } from "../element.js";
import type { Message } from "../format-text.js";

/** Whether it is the second click of a double click, which might hit the button of the next step in the same place. */
export const isSecond = ({ detail }: MouseEvent): boolean => detail > 1;

/** The listener of a button. It ignores the second click of a double click. */
export const oncePerDoubleClick =
  (onClick: () => unknown) =>
  (event: MouseEvent): void => {
    if (!isSecond(event)) onClick();
  };

/** Equals the condition in the styles of the rows. */
const NARROW = "(max-width: 26em)";

/**
 * The buttons of a row. On a narrow screen, they are stacked, and the main button, normally the
 * last one, comes first. The order in the document changes, so that the Tab key follows the visible
 * order.
 */
export class ButtonRow implements ReactiveController {
  readonly #host: AuthElement;
  // Test environments might not have it.
  readonly #narrow = (globalThis as Partial<typeof globalThis>).matchMedia?.(NARROW);
  #focused: Element | null | undefined;

  constructor(host: AuthElement) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#narrow?.addEventListener("change", this.#update);
  }

  hostDisconnected(): void {
    this.#narrow?.removeEventListener("change", this.#update);
  }

  hostUpdate(): void {
    this.#focused = this.#host.shadowRoot?.activeElement;
  }

  /** A button that has changed its place has lost the focus. */
  hostUpdated(): void {
    if (this.#focused?.isConnected !== false) return;
    const part = this.#focused.getAttribute("part");
    this.#host.shadowRoot?.querySelector<HTMLElement>(`[part="${part}"]`)?.focus();
  }

  render(...buttons: readonly unknown[]): readonly unknown[] {
    return this.#narrow?.matches ? [...buttons].reverse() : buttons;
  }

  readonly #update = (): void => this.#host.requestUpdate();
}

interface SubmitOptions {
  readonly part?: string;
  readonly disabled?: boolean;
  readonly destructive?: boolean | undefined;
}

/** A form's main button. It is in the shadow DOM, so that it looks like the other buttons. */
export const renderSubmit = (
  label: Message,
  busy: boolean,
  onClick: () => void,
  { part = "submit", disabled, destructive }: SubmitOptions = {},
): TemplateResult =>
  html`<button
    part=${part}
    class=${destructive ? "destructive" : nothing}
    type="button"
    ?disabled=${disabled}
    aria-disabled=${busy ? "true" : nothing}
    aria-busy=${busy ? "true" : nothing}
    @click=${oncePerDoubleClick(onClick)}
  >
    <span>${label}${busy ? html`<span part="spinner"></span>` : nothing}</span>
  </button>`;

/** A second button. Its styles come after those of a pressed button. */
export const secondaryStyles: CSSResult = css`
  :host {
    --_line: color-mix(in srgb, currentcolor 55%, transparent);
  }
  .secondary {
    background: none;
    border-color: var(--_line);
    color: inherit;
  }
  @media not all and (pointer: coarse) {
    .secondary:hover:not(:disabled, [aria-disabled]) {
      background: color-mix(in srgb, currentcolor 8%, transparent);
      filter: none;
    }
  }
  .secondary:active:not(:disabled, [aria-disabled]) {
    background: color-mix(in srgb, currentcolor 18%, transparent);
    filter: none;
  }
  @media (forced-colors: active) {
    .secondary {
      border-width: 1px;
    }
  }
`;
