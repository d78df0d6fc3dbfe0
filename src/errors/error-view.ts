import { html, type TemplateResult } from "lit";
import { connectionTexts } from "../texts/english.js";
import { partTexts } from "../texts/part-texts.js";
import { type CodedError, ErrorBox, type ErrorBoxOptions } from "../ui/error-box.js";
import type { Message } from "../ui/format-text.js";
import { scrollIntoView } from "../ui/form/styles.js";
import type * as ErrorMessages from "./error-messages.js";
import { loadErrorMessages } from "./load-error-messages.js";

const texts = partTexts(connectionTexts);

interface ErrorOptions extends ErrorBoxOptions {
  /** The server that was looked up, as it was typed: a typing mistake is likely. */
  readonly server?: string | undefined;
  /** The homeserver that has responded. If it is full, its administrator's address is shown. */
  readonly homeserverUrl?: string | undefined;
  /** Shown after the message. */
  readonly details?: TemplateResult | undefined;
}

/**
 * Shows an element's errors: the message, the server's message, a countdown while the server
 * requires a delay, and "Try again". The slots `error-(code)` and `error` replace the message. An
 * error that only the developer can fix is also explained on the console.
 *
 * The first error loads the messages, and the box appears together with its message.
 */
export class ErrorView extends ErrorBox {
  #message: ErrorMessages.ErrorMessage | undefined;
  /** The failed objects whose messages could not be loaded. */
  readonly #unloaded = new WeakSet<object>();

  override announce(error: CodedError, event: Event): boolean {
    void loadErrorMessages().then(
      (messages) => messages.explainError(error),
      () => undefined,
    );
    return super.announce(error, event);
  }

  render(
    error: CodedError | undefined,
    { server, homeserverUrl, details, ...options }: ErrorOptions = {},
  ): TemplateResult {
    const text =
      error &&
      this.messageOf(error, error.code, ({ ErrorMessage }) => {
        this.#message ??= new ErrorMessage(this.host);
        return this.#message.render(error, server, homeserverUrl);
      });
    const content = text && details ? html`${text} ${details}` : text;
    return this.renderText(text === undefined ? undefined : error, content, options);
  }

  /**
   * A message. Undefined while the messages are loading; after that, the host renders again.
   *
   * @param of The failed object. If its messages can't be loaded, the message is about the
   *   connection or the page.
   */
  messageOf(
    of: object,
    code: string,
    write: (messages: typeof ErrorMessages) => Message,
  ): Message | undefined {
    const messages = loadErrorMessages.loaded;
    if (messages) return write(messages);
    if (!this.#unloaded.has(of)) {
      void this.#load(of);
      return undefined;
    }
    const key = code === "network_error" ? "errorNetwork" : "errorLoadFailed";
    return texts.term(this.host.localize, key);
  }

  async #load(of: object): Promise<void> {
    await loadErrorMessages().catch(() => this.#unloaded.add(of));
    this.host.requestUpdate();
  }

  /**
   * Scrolls to an error once it is shown. Only after what the user has done: a page must not move by itself.
   *
   * @param place The selector of what contains it. Default: the element.
   */
  async reveal(place = ""): Promise<void> {
    await loadErrorMessages().catch(() => undefined);
    this.host.requestUpdate();
    await this.host.updateComplete;
    scrollIntoView(this.host.shadowRoot?.querySelector(`${place} [part=error]`));
  }
}
