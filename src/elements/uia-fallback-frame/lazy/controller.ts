import { ContextConsumer } from "@lit/context";
import { css, html, nothing, type ReactiveController, type TemplateResult } from "lit";
import { type AuthClient, authClientContext } from "../../../context/auth-client.js";
import { uiaSessionContext } from "../../../context/uia-session.js";
import {
  joinUrl,
  parseTrustworthyUrl,
  parseUrl,
  withoutTrailingSlashes,
} from "../../../core/http/url.js";
import { AuthType, isOAuth } from "../../../core/uia/options.js";
import {
  type FallbackPage,
  UiaFallbackBlockedEvent,
  UiaFallbackCloseEvent,
  UiaFallbackDoneEvent,
  UiaFallbackOpenEvent,
} from "../../../events/uia-fallback.js";
import { fallbackTexts, loginTexts, popupTexts, validationTexts } from "../../../texts/english.js";
import { PopupWindow } from "../../../sign-in/lazy/popup.js";
import { addTexts, type Texts } from "../../../texts/texts.js";
import { type AuthHost, renderLabel, watchLabel } from "../../../ui/element.js";
import { oncePerDoubleClick } from "../../../ui/lazy/form.js";
import { addStyles, errorBox, uiaTokens } from "../../../ui/lazy/styles.js";
import { pollWhileVisible } from "../../../ui/lazy/visibility-poller.js";
import { whenRemoved } from "../../../ui/page.js";

const { errorHomeserverSettings } = loginTexts;
const { stepUnfinished } = validationTexts;
addTexts({ $code: "en", ...popupTexts, ...fallbackTexts, errorHomeserverSettings, stepUnfinished });

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
  /** `open()` was called before the controller was loaded. */
  readonly opensOnceLoaded: boolean;
};

/** @see https://spec.matrix.org/v1.19/client-server-api/#fallback */
const DONE = "authDone";

/**
 * A stage on another site's page, from the click that opens the page to the report that it is done.
 */
export class FallbackController implements ReactiveController {
  readonly #host: FallbackHost;
  readonly #context: ContextConsumer<typeof uiaSessionContext, FallbackHost>;
  readonly #client: ContextConsumer<typeof authClientContext, FallbackHost>;
  state: UiaFallbackState = "idle";
  /** The page that was opened; it is closed when the stage or the session changes. */
  #opened: FallbackPage | undefined;
  #popup: PopupWindow | undefined;
  /** What happened to the page. */
  #notice: keyof Texts | undefined;
  #shown = false;
  #framed = false;
  #stopPolling: (() => void) | undefined;
  /** Whether a UIA session was provided. When it ends, its dialog closes with this element. */
  #hadContext = false;

  constructor(host: FallbackHost) {
    this.#host = host;
    this.#context = new ContextConsumer(host, { context: uiaSessionContext, subscribe: true });
    this.#client = new ContextConsumer(host, { context: authClientContext, subscribe: true });
    watchLabel(host);
    host.addController(this);
    // If loading this has outlasted the click, there is a link to the page.
    if (host.opensOnceLoaded && host.isConnected) this.open();
  }

  hostConnected(): void {
    this.#hadContext = false;
    window.addEventListener("message", this.#onMessage);
  }

  hostUpdate(): void {
    const { page } = this;
    this.#hadContext ||= this.#context.value !== undefined;
    if (this.#opened && (page?.url !== this.#opened.url || page.stage !== this.#opened.stage)) {
      this.#reset();
    }
  }

  /** The browser's own `autofocus` does not cover elements that are rendered later. */
  hostUpdated(): void {
    if (this.#shown) return;
    this.#shown = true;
    if (this.#host.autofocus) this.#host.focus();
  }

  hostDisconnected(): void {
    window.removeEventListener("message", this.#onMessage);
    whenRemoved(this.#host, () => this.#reset());
  }

  get page(): FallbackPage | undefined {
    const stage = this.#host.stage ?? this.#context.value?.stage ?? "";
    const { sessionId = null } = this.#context.value ?? {};
    const session = this.#host.session ?? sessionId;
    if (this.#isOfAnother(session)) return undefined;
    const given = this.#host.url ?? this.#fallbackUrl(stage, session ?? "");
    const url = parseTrustworthyUrl(given)?.href;
    return url === undefined ? undefined : { stage, session, url };
  }

  /** @see https://spec.matrix.org/v1.19/client-server-api/#fallback */
  #fallbackUrl(stage: string, session: string): unknown {
    if (!stage) return undefined;
    if (isOAuth(stage)) return (Object(this.#context.value?.params) as { url?: unknown }).url;
    const client = this.#authClient;
    try {
      if (client?.getFallbackAuthUrl) return client.getFallbackAuthUrl(stage, session);
    } catch {
      // The client's base URL is invalid; its other requests report that.
      return undefined;
    }
    const homeserver: unknown = this.#homeserver;
    if (typeof homeserver !== "string") return undefined;
    const path = `_matrix/client/v3/auth/${encodeURIComponent(stage)}/fallback/web`;
    return joinUrl(homeserver, `${path}?${new URLSearchParams({ session }).toString()}`);
  }

  /**
   * Whether the element's own client, homeserver, or session contradicts the surrounding dialog's. The
   * session of one account is never sent to another one's homeserver.
   */
  #isOfAnother(session: string | null): boolean {
    const { client, homeserver } = this.#host;
    const around = this.#context.value;
    const bases = [homeserver, client?.baseUrl, around?.client?.baseUrl];
    const isOtherClient =
      around?.client && client && client !== around.client && client.baseUrl === undefined;
    const isOtherSession = around && around.sessionId !== null && session !== around.sessionId;
    return !!isOtherClient || !!isOtherSession || new Set(bases.flatMap(baseOf)).size > 1;
  }

  open(): void {
    const { page } = this;
    if (!page) return;
    const opensHere = this.#host.dispatchEvent(new UiaFallbackOpenEvent(page));
    this.#close();
    this.#start(page);
    if (opensHere) this.#popup = this.#openPopup(page);
    if (!opensHere || this.#popup) return this.#setState("open", "popupOpened");
    this.#setState("blocked", "popupBlocked");
    this.#host.dispatchEvent(new UiaFallbackBlockedEvent(page));
  }

  /** The page could navigate this one, so it has an opener only if it reports to it. */
  #openPopup({ url, stage }: FallbackPage): PopupWindow | undefined {
    if (reports(stage)) return PopupWindow.open(url, this.#onClosed);
    const popup = PopupWindow.open("", this.#onClosed);
    popup?.disown();
    popup?.go(url);
    return popup;
  }

  /** Users must see the address of a page that is not the homeserver's, so it has its own window. */
  get #isFramed(): boolean {
    return this.#host.mode === "frame" && reports(this.page?.stage ?? "");
  }

  render(): TemplateResult {
    addStyles(this.#host, uiaTokens, errorBox, frameStyles);
    const { page } = this;
    const filled = this.#host.querySelector("[slot=actions]") ? "filled" : "";
    const isUnopened = this.state === "idle" && !this.#isFramed;
    const finished = html`<button
      part="finished"
      type="button"
      @click=${oncePerDoubleClick(this.#onDone)}
    >
      ${this.#text("fallbackFinished")}
    </button>`;
    return html`${page ? this.#renderPage(page) : this.#renderNone()}
      <slot name="messages"></slot>
      <div part="actions" class="actions ${filled}">
        ${page && !isUnopened ? this.#renderOpen("quiet") : nothing}<slot name="actions"></slot>
        ${page ? (isUnopened ? this.#renderOpen("") : finished) : nothing}
      </div>`;
  }

  #renderNone(): TemplateResult | typeof nothing {
    if (this.#hadContext && !this.#context.value) return nothing;
    return html`<p class="error" part="text" role="alert">
      ${this.#text("errorHomeserverSettings")}
    </p>`;
  }

  #renderPage({ url, stage }: FallbackPage): TemplateResult {
    // Without `allow-same-origin`: a page of this page's own origin, also after a redirect, could
    // otherwise reach this page, and remove its sandbox.
    const frame = html`<iframe
      part="frame"
      src=${url}
      title=${this.#text("fallbackFrame")}
      sandbox="allow-scripts allow-forms allow-popups"
      referrerpolicy="no-referrer"
      @load=${this.#onFrameLoad}
    ></iframe>`;
    const host = html`<p part="host"><bdi dir="ltr">${new URL(url).host}</bdi></p>`;
    const link = html`<a
      part="link"
      href=${url}
      target="_blank"
      rel=${reports(stage) ? "opener" : "noopener"}
      >${this.#text("popupLink")}</a
    >`;
    return html`${this.#isFramed ? frame : host}
      <p part="text" role="status">${this.#notice && this.#text(this.#notice)}</p>
      ${this.state === "blocked" ? link : nothing}`;
  }

  /** In a dialog, only its own client: that of the context might belong to another account by now. */
  get #authClient(): AuthClient | undefined {
    const around = this.#context.value;
    return this.#host.client ?? (around ? around.client : this.#client.value);
  }

  get #homeserver(): string | undefined {
    return this.#host.homeserver ?? this.#authClient?.baseUrl;
  }

  #text(key: keyof Texts): string {
    return this.#host.localize.term(key);
  }

  #renderOpen(look: "quiet" | ""): TemplateResult {
    const first = this.#isFramed ? "popupLink" : "fallbackOpen";
    const label = this.state === "idle" || this.#framed ? first : "fallbackAgain";
    return html`<button
      part="open"
      type="button"
      class=${look}
      @click=${oncePerDoubleClick(this.#onOpen)}
    >
      ${renderLabel(this.#host, this.#text(label))}
    </button>`;
  }

  #setState(state: UiaFallbackState, notice?: keyof Texts): void {
    this.state = state;
    this.#notice = notice;
    this.#host.stateChanged();
  }

  /** Starts to poll the homeserver each time that the user returns to this page. */
  #start(page: FallbackPage): void {
    this.#opened = page;
    this.#stopPolling = pollWhileVisible(async () => this.#context.value?.poll(), Infinity);
  }

  #reset(): void {
    this.#close();
    this.#setState("idle");
  }

  #close(): void {
    this.#opened = undefined;
    this.#framed = false;
    this.#stopPolling?.();
    this.#closePopup();
  }

  #closePopup(): void {
    this.#popup?.forget();
    this.#popup?.close();
    this.#popup = undefined;
  }

  readonly #onOpen = async (): Promise<void> => {
    this.open();
    // The focus moves to the user's next action on this page.
    const next = this.state === "blocked" ? "link" : "finished";
    await this.#host.updateComplete;
    this.#host.renderRoot.querySelector<HTMLElement>(`[part=${next}]`)?.focus();
  };

  /** The message of a finished page. It counts only from the popup and from one of these origins. */
  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (data !== DONE || source !== this.#popup?.window) return;
    const allowedOrigins = [this.#host.allowedOrigins ?? []].flat();
    const urls = [this.#opened?.url, this.#homeserver, ...allowedOrigins];
    if (urls.some((url) => parseUrl(url)?.origin === origin)) this.#onDone();
  };

  /** The message is only a hint; the homeserver decides whether the stage is complete. */
  readonly #onDone = (): void => {
    const { page } = this;
    if (!page || !this.#host.isConnected) return;
    this.#closePopup();
    this.#setState("done");
    this.#host.dispatchEvent(new UiaFallbackDoneEvent(page));
    void this.#context.value?.finish();
  };

  readonly #onClosed = (): void => {
    const { page } = this;
    this.#notice = "fallbackClosed";
    this.#host.requestUpdate();
    if (page) this.#host.dispatchEvent(new UiaFallbackCloseEvent(page));
    void this.#context.value?.poll();
  };

  readonly #onFrameLoad = (): void => {
    const { page } = this;
    if (!page || this.#opened) return;
    this.#start(page);
    this.#framed = true;
    this.#setState("open");
  };
}

/** Whether the page of a stage reports to its opener. The provider's page for `m.oauth` does not. */
const reports = (stage: string): boolean => !isOAuth(stage);

/** For comparison: a list of one, or of none if it is unknown. */
const baseOf = (url: unknown): readonly string[] => {
  const { href } = parseUrl(url) ?? {};
  return href === undefined ? [] : [withoutTrailingSlashes(href)];
};

/** The instruction for the page of a stage. */
export function instructionOf(stage: string): "ssoAsk" | "approvalAsk" | "fallbackAsk" {
  if (isOAuth(stage)) return "approvalAsk";
  const isSso = stage === AuthType.Sso || stage === AuthType.SsoUnstable;
  return isSso ? "ssoAsk" : "fallbackAsk";
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
