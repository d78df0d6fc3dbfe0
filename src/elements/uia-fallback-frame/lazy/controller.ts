import { ContextConsumer } from "@lit/context";
import {
  css,
  type CSSResult,
  html,
  nothing,
  type ReactiveController,
  type TemplateResult,
} from "lit";
import { type AuthClient, authClientContext } from "../../../context/auth-client.js";
import { type UiaSession, uiaSessionContext } from "../../../context/uia-session.js";
import { webUrl } from "../../../core/http/url.js";
import {
  type FallbackPage,
  UiaFallbackBlockedEvent,
  UiaFallbackCloseEvent,
  UiaFallbackDoneEvent,
  UiaFallbackOpenEvent,
} from "../../../events/uia-fallback.js";
import { fallbackTexts, popupTexts } from "../../../locales/en.js";
import { addTexts } from "../../../texts/registry.js";
import type { Texts } from "../../../texts/texts.js";
import { type AuthHost, renderLabel, watchLabel } from "../../../ui/element.js";
import { addStyles, errorBox, uiaTokens } from "../../../ui/lazy/styles.js";
import { VisibilityPoller } from "../../../ui/lazy/visibility-poller.js";
import { whenRemoved } from "../../../ui/turn.js";
import { fallbackUrl, originsOf } from "./url.js";
import { FallbackWindow } from "./window.js";

addTexts({ $code: "en", ...popupTexts, ...fallbackTexts });

export { instructionOf } from "./url.js";

/** The state of the fallback page; also a `:state()` of the element. */
export type UiaFallbackState = "idle" | "open" | "blocked" | "done";

export type FallbackHost = AuthHost & {
  readonly stage: string | undefined;
  readonly session: string | undefined;
  readonly homeserver: string | undefined;
  readonly client: AuthClient | undefined;
  readonly mode: "popup" | "frame" | undefined;
  readonly url: string | undefined;
  readonly allowedOrigins: readonly string[] | undefined;
  /** `open()` was called before the controller was there. */
  readonly opensOnceLoaded: boolean;
};

type Text = keyof Texts;

/** A stage on another site's page, from the click that opens it until it reports that it is done. */
export class FallbackController implements ReactiveController {
  readonly #host: FallbackHost;
  readonly #session: ContextConsumer<typeof uiaSessionContext, FallbackHost>;
  readonly #client: ContextConsumer<typeof authClientContext, FallbackHost>;
  #state: UiaFallbackState = "idle";
  /** The page that was opened; it is closed when the stage or the session changes. */
  #opened: FallbackPage | undefined;
  #window: FallbackWindow | undefined;
  #closed = false;
  #shown = false;
  /** The part that gets the focus once it is rendered. */
  #focusNext: string | undefined;
  #framed = false;
  #poller: VisibilityPoller | undefined;
  /** Whether a UIA session has been provided. When it ends, its dialog closes with this element in it. */
  #hadContext = false;

  constructor(host: FallbackHost) {
    this.#host = host;
    this.#session = new ContextConsumer(host, { context: uiaSessionContext, subscribe: true });
    this.#client = new ContextConsumer(host, { context: authClientContext, subscribe: true });
    for (const styles of [uiaTokens, errorBox, frameStyles]) addStyles(host, styles);
    watchLabel(host);
    host.addController(this);
    // If loading this has outlasted the click, there is a link to the page.
    if (host.opensOnceLoaded && host.isConnected) this.open();
  }

  get state(): UiaFallbackState {
    return this.#state;
  }

  hostUpdate(): void {
    const { page } = this;
    this.#hadContext ||= this.#context !== undefined;
    if (this.#opened && (page?.url !== this.#opened.url || page.stage !== this.#opened.stage)) {
      this.#close();
      this.#setState("idle");
    }
  }

  /** The browser's own `autofocus` does not cover what is rendered later. */
  hostUpdated(): void {
    if (this.#focusNext) {
      this.#host.renderRoot.querySelector<HTMLElement>(`[part=${this.#focusNext}]`)?.focus();
      this.#focusNext = undefined;
    }
    if (!this.#host.autofocus || this.#shown) return;
    this.#shown = true;
    this.#host.focus();
  }

  hostDisconnected(): void {
    whenRemoved(this.#host, () => {
      this.#close();
      this.#setState("idle");
      this.#hadContext = false;
    });
  }

  get page(): FallbackPage | undefined {
    const stage = this.#host.stage ?? this.#context?.stage ?? "";
    const session = this.#host.session ?? this.#context?.sessionId ?? null;
    const url = webUrl(
      this.#host.url ??
        fallbackUrl({
          stage,
          session,
          homeserver: this.#homeserver,
          client: this.#authClient,
          params: this.#context?.params,
        }),
    );
    return url === undefined ? undefined : { stage, session, url };
  }

  open(): void {
    const { page } = this;
    if (!page) return;
    const opensHere = this.#host.dispatchEvent(new UiaFallbackOpenEvent(page));
    this.#close();
    this.#start(page);
    if (!opensHere) return this.#setState("open");
    this.#window = FallbackWindow.open(page.url, this.#origins(page), {
      done: this.#onDone,
      closed: this.#onClosed,
    });
    this.#setState(this.#window ? "open" : "blocked");
    if (!this.#window) this.#host.dispatchEvent(new UiaFallbackBlockedEvent(page));
  }

  render(): TemplateResult {
    const { page } = this;
    const filled = this.#host.querySelector("[slot=actions]") ? "filled" : "";
    return html`${page ? this.#renderPage(page) : this.#renderNone()}
      <slot name="messages"></slot>
      <div part="actions" class="actions ${filled}">
        ${page && !this.#isAlone ? this.#renderOpen("quiet") : nothing}<slot name="actions"></slot>
        ${page ? this.#renderPrimary() : nothing}
      </div>`;
  }

  #renderNone(): TemplateResult | typeof nothing {
    if (this.#hadContext && !this.#context) return nothing;
    return html`<p class="error" part="text" role="alert">${this.#text("fallbackNone")}</p>`;
  }

  #renderPage(page: FallbackPage): TemplateResult {
    return html`${
        this.#host.mode === "frame"
          ? this.#renderFrame(page)
          : html`<p part="host"><bdi dir="ltr">${new URL(page.url).host}</bdi></p>`
      }
      <p part="text" role="status">${this.#explanation && this.#text(this.#explanation)}</p>
      ${this.#state === "blocked" ? this.#renderLink(page) : nothing}`;
  }

  get #context(): UiaSession | undefined {
    return this.#session.value;
  }

  get #authClient(): AuthClient | undefined {
    return this.#host.client ?? this.#context?.client ?? this.#client.value;
  }

  get #explanation(): Text | undefined {
    if (this.#state === "blocked") return "popupBlocked";
    if (this.#state !== "open" || this.#framed) return undefined;
    return this.#closed ? "fallbackClosed" : "popupOpened";
  }

  #origins({ url }: FallbackPage): readonly string[] {
    return originsOf(url, this.#homeserver, ...[this.#host.allowedOrigins ?? []].flat());
  }

  get #homeserver(): string | undefined {
    return this.#host.homeserver ?? this.#authClient?.baseUrl;
  }

  #text(key: Text): string {
    return this.#host.localize.term(key);
  }

  #renderFrame({ url }: FallbackPage): TemplateResult {
    return html`<iframe
      part="frame"
      src=${url}
      title=${this.#text("fallbackFrame")}
      sandbox="allow-scripts allow-forms allow-same-origin allow-popups"
      referrerpolicy="no-referrer"
      @load=${this.#onFrameLoad}
    ></iframe>`;
  }

  #renderLink({ url }: FallbackPage): TemplateResult {
    return html`<a part="link" href=${url} target="_blank" rel="opener"
      >${this.#text("popupLink")}</a
    >`;
  }

  get #isAlone(): boolean {
    return this.#state === "idle" && this.#host.mode !== "frame";
  }

  #renderOpen(look: "quiet" | ""): TemplateResult {
    return html`<button part="open" type="button" class=${look} @click=${this.#onOpen}>
      ${renderLabel(this.#host, this.#text(this.#openLabel))}
    </button>`;
  }

  #renderPrimary(): TemplateResult {
    if (this.#isAlone) return this.#renderOpen("");
    return html`<button part="finished" type="button" @click=${this.#onFinished}>
      ${this.#text("fallbackFinished")}
    </button>`;
  }

  get #openLabel(): Text {
    if (this.#state !== "idle" && !this.#framed) return "fallbackAgain";
    return this.#host.mode === "frame" ? "popupLink" : "fallbackOpen";
  }

  #setState(state: UiaFallbackState): void {
    this.#state = state;
    this.#host.stateChanged();
  }

  /** From now on the homeserver is polled whenever the user returns to this page. */
  #start(page: FallbackPage): void {
    this.#opened = page;
    this.#closed = false;
    this.#poller = new VisibilityPoller(async () => this.#context?.poll(), Infinity);
  }

  #close(): void {
    this.#opened = undefined;
    this.#framed = false;
    this.#poller?.stop();
    this.#window?.close();
    this.#window = undefined;
  }

  readonly #onOpen = (): void => {
    this.open();
    // What the user does next, here.
    this.#focusNext = this.#state === "blocked" ? "link" : "finished";
  };

  /** The second click of a double click on the other button may hit this one. */
  readonly #onFinished = ({ detail }: MouseEvent): void => {
    if (detail <= 1) this.#onDone();
  };

  /** Only a hint: the homeserver decides whether it is true. */
  readonly #onDone = (): void => {
    const { page } = this;
    if (!page || !this.#host.isConnected) return;
    this.#window?.close();
    this.#window = undefined;
    this.#setState("done");
    this.#host.dispatchEvent(new UiaFallbackDoneEvent(page));
    void this.#context?.finish();
  };

  readonly #onClosed = (): void => {
    const { page } = this;
    this.#closed = true;
    this.#host.requestUpdate();
    if (page) this.#host.dispatchEvent(new UiaFallbackCloseEvent(page));
    void this.#context?.poll();
  };

  readonly #onFrameLoad = (): void => {
    const { page } = this;
    if (!page || this.#opened) return;
    this.#start(page);
    this.#framed = true;
    this.#setState("open");
  };
}

export const frameStyles: CSSResult = css`
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
    /* It is left to right, and begins where the page's texts do. */
    unicode-bidi: normal;
    font-weight: 600;
  }
  /* A window that opens beside this one. */
  [part="host"]::after {
    content: " ↗" / "";
    opacity: 0.7;
  }
  :host(:dir(rtl)) [part="host"]::after {
    content: " ↖" / "";
  }
  [part="link"] {
    display: block;
    inline-size: fit-content;
    padding-block: 0.25em;
    color: var(--_accent);
    margin-block-end: 0.75em;
  }
  /* Beside the page's own buttons. */
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
