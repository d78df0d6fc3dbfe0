import type { ContextConsumer } from "@lit/context";
import type { ReactiveController } from "lit";
import { type AuthClient, authClientContext } from "../../context/auth-client.js";
import { followContext } from "../../context/root.js";
import { uiaSessionContext } from "../../context/uia-session.js";
import { urlNamedBy } from "../../core/http/this-machine.js";
import { pathPart } from "../../core/http/path-part.js";
import { joinUrl, parseTrustworthyUrl, parseUrl, readBaseUrl } from "../../core/http/url.js";
import { isOAuth } from "../../core/uia/options.js";
import {
  type FallbackPage,
  UiaFallbackBlockedEvent,
  UiaFallbackCloseEvent,
  UiaFallbackDoneEvent,
  UiaFallbackOpenEvent,
} from "../../events/uia-fallback.js";
import { PopupWindow } from "../../ui/popup-window.js";
import { pollWhileVisible } from "../../ui/visibility-poller.js";
import { Operation } from "../../ui/operation.js";
import { whenRemoved } from "../../ui/page.js";
import type { UiaFallbackFrameElement } from "./uia-fallback-frame.js";

/** The state of the fallback page; also a `:state()` of the element. */
export type UiaFallbackState = "idle" | "open" | "blocked" | "done";

/** The state, with the opened page. The page is closed when the stage or the session changes. */
type State =
  | { readonly name: "idle" }
  | {
      readonly name: "open";
      readonly page: FallbackPage;
      readonly homeserver: string | undefined;
      /** Undefined if the page opens it itself. */
      readonly popup: PopupWindow | undefined;
      /** Whether the user has closed it. */
      readonly isClosed: boolean;
    }
  | { readonly name: "blocked"; readonly page: FallbackPage }
  | { readonly name: "framed"; readonly page: FallbackPage }
  | { readonly name: "done"; readonly page: FallbackPage; readonly isFramed: boolean };

/** @see https://spec.matrix.org/v1.19/client-server-api/#fallback */
const DONE = "authDone";

/**
 * A stage on another site's page, from the click that opens the page to the report that it is
 * finished.
 */
export class FallbackController implements ReactiveController {
  readonly host: UiaFallbackFrameElement;
  readonly #context: ContextConsumer<typeof uiaSessionContext, UiaFallbackFrameElement>;
  readonly #client: ContextConsumer<typeof authClientContext, UiaFallbackFrameElement>;
  /** Polls the homeserver whenever the user returns to this page. */
  readonly #polling = new Operation();
  #state: State = { name: "idle" };
  /** Whether a UIA session was provided. When it ends, its dialog closes with this element. */
  #hadContext = false;

  constructor(host: UiaFallbackFrameElement) {
    this.host = host;
    this.#context = followContext(host, uiaSessionContext);
    this.#client = followContext(host, authClientContext);
    host.addController(this);
  }

  hostConnected(): void {
    this.#hadContext = false;
    window.addEventListener("message", this.#onMessage);
  }

  hostUpdate(): void {
    this.#hadContext ||= this.#context.value !== undefined;
    if (this.#isOtherOpened) this.#reset();
  }

  hostDisconnected(): void {
    window.removeEventListener("message", this.#onMessage);
    whenRemoved(this.host, () => this.#reset());
  }

  get state(): State {
    return this.#state;
  }

  get publicState(): UiaFallbackState {
    return this.#state.name === "framed" ? "open" : this.#state.name;
  }

  /** The page that was opened. */
  get opened(): FallbackPage | undefined {
    return this.#state.name === "idle" ? undefined : this.#state.page;
  }

  /** Whether another page was opened than the one that is required now. */
  get #isOtherOpened(): boolean {
    const { page, opened } = this;
    return !!opened && (page?.url !== opened.url || page.stage !== opened.stage);
  }

  get isInDialog(): boolean {
    return this.#hadContext;
  }

  /** Whether the surrounding dialog is closing. */
  get isEnding(): boolean {
    return this.#hadContext && !this.#context.value;
  }

  /**
   * Users must see the address of a page that does not belong to the homeserver, so such a page has
   * its own window.
   */
  get isFramed(): boolean {
    return this.host.mode === "frame" && !this.isWaiting && reports(this.page?.stage ?? "");
  }

  /** Whether the session is still missing. Without it, the homeserver would show another page. */
  get isWaiting(): boolean {
    const { session, stage, url } = this.host;
    return !this.#context.value && !session && !!stage && url === undefined;
  }

  get page(): FallbackPage | undefined {
    const stage = this.host.stage ?? this.#context.value?.stage ?? "";
    const { sessionId = null } = this.#context.value ?? {};
    const session = this.host.session ?? sessionId;
    if (this.#isOfAnother(session)) return undefined;
    const given = this.host.url ?? this.#fallbackUrl(stage, session ?? "");
    const url = parseTrustworthyUrl(given)?.href;
    return url === undefined ? undefined : { stage, session, url };
  }

  /** @see https://spec.matrix.org/v1.19/client-server-api/#fallback */
  #fallbackUrl(stage: string, session: string): unknown {
    if (!stage) return undefined;
    if (isOAuth(stage)) {
      const { url } = Object(this.#context.value?.params) as { url?: unknown };
      return urlNamedBy(this.#homeserver ?? "", url)?.href;
    }
    const client = this.#authClient;
    const homeserver = this.#homeserver;
    try {
      if (client?.getFallbackAuthUrl) return client.getFallbackAuthUrl(stage, session);
      const path = `_matrix/client/v3/auth/${pathPart(stage)}/fallback/web`;
      const query = new URLSearchParams({ session });
      return homeserver && joinUrl(homeserver, `${path}?${query.toString()}`);
    } catch {
      // The stage's name would be another path, or the client's base URL is invalid. The client's
      // other requests report that.
      return undefined;
    }
  }

  /**
   * Whether the element's own client, homeserver, or session differs from the surrounding dialog's.
   * The session of one account is never sent to the homeserver of another account.
   */
  #isOfAnother(session: string | null): boolean {
    const { client, homeserver } = this.host;
    const around = this.#context.value;
    const bases = [homeserver, client?.baseUrl, around?.client?.baseUrl];
    const isOtherClient =
      around?.client && client && client !== around.client && client.baseUrl === undefined;
    const isOtherSession = around && around.sessionId !== null && session !== around.sessionId;
    return (
      !!isOtherClient ||
      !!isOtherSession ||
      new Set(bases.filter(Boolean).map(readBaseUrl)).size > 1
    );
  }

  open(): void {
    const { page } = this;
    if (!page || this.isWaiting) return;
    const opensHere = this.host.dispatchEvent(new UiaFallbackOpenEvent(page));
    this.#close();
    const popup = opensHere ? this.#openPopup(page) : undefined;
    this.#poll();
    if (!opensHere || popup) return this.#becomeOpen(page, popup);
    this.#become({ name: "blocked", page });
    this.host.dispatchEvent(new UiaFallbackBlockedEvent(page));
  }

  /** Called when the user has opened a blocked page with the link. */
  linkUsed(): void {
    if (this.#state.name === "blocked") this.#becomeOpen(this.#state.page);
  }

  #becomeOpen(page: FallbackPage, popup?: PopupWindow): void {
    this.#become({ name: "open", page, homeserver: this.#homeserver, popup, isClosed: false });
  }

  /** Called when the page is shown in the element's frame. */
  framed(): void {
    const { page } = this;
    if (!page || this.opened) return;
    this.#poll();
    this.#become({ name: "framed", page });
  }

  /** The report of the user or the page is only a hint; the homeserver decides. */
  done(): void {
    const { page } = this;
    if (!page || this.#isOtherOpened || !this.host.isConnected) return;
    this.#popup?.close();
    this.#become({ name: "done", page, isFramed: this.#state.name === "framed" });
    this.host.dispatchEvent(new UiaFallbackDoneEvent(page));
    void this.#context.value?.finish();
  }

  /**
   * A page with an opener could navigate this page, so it gets an opener only if it reports to this
   * page.
   */
  #openPopup({ url, stage }: FallbackPage): PopupWindow | undefined {
    if (reports(stage)) return PopupWindow.open(url, this.#onClosed);
    const popup = PopupWindow.open("", this.#onClosed);
    popup?.disown();
    popup?.go(url);
    return popup;
  }

  /**
   * In a dialog, only the dialog's own client is used, because the context's client might belong to
   * another account by now.
   */
  get #authClient(): AuthClient | undefined {
    const around = this.#context.value;
    return this.host.client ?? (around ? around.client : this.#client.value);
  }

  get #homeserver(): string | undefined {
    return readBaseUrl(this.host.homeserver ?? this.#authClient?.baseUrl);
  }

  get #popup(): PopupWindow | undefined {
    return this.#state.name === "open" ? this.#state.popup : undefined;
  }

  #become(state: State): void {
    this.#state = state;
    this.host.stateChanged();
  }

  #poll(): void {
    const poll = async (): Promise<void> => this.#context.value?.poll();
    void this.#polling.run((signal) => pollWhileVisible(signal, poll, Infinity));
  }

  #reset(): void {
    this.#close();
    this.#become({ name: "idle" });
  }

  #close(): void {
    this.#polling.cancel();
    this.#popup?.close();
  }

  /**
   * Handles the message of a finished page. The message counts only if it comes from the popup and
   * from one of these origins.
   */
  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    const state = this.#state;
    if (data !== DONE || state.name !== "open" || source !== state.popup?.window) return;
    const allowedOrigins = [this.host.allowedOrigins ?? []].flat();
    const urls = [state.page.url, state.homeserver, ...allowedOrigins];
    if (urls.some((url) => parseUrl(url)?.origin === origin)) this.done();
  };

  readonly #onClosed = (): void => {
    const { page } = this;
    if (this.#state.name === "open") this.#become({ ...this.#state, isClosed: true });
    if (page) this.host.dispatchEvent(new UiaFallbackCloseEvent(page));
    void this.#context.value?.poll();
  };
}

/** Whether the page of a stage reports to its opener. The provider's page for `m.oauth` does not. */
export const reports = (stage: string): boolean => !isOAuth(stage);
