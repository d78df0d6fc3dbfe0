import { isJsonObject, type JsonObject } from "../http/json.js";
import { wait } from "../http/wait.js";

const RESPONSE_MS = 100;
/** Longer than the delivery of a message takes on a busy machine. */
const DELIVERY_MS = 10_000;

export class TabChannel {
  readonly #name: string;
  #channel: BroadcastChannel | undefined;
  #onResponse: (() => void) | undefined;
  /** The messages that have arrived but are not handled yet. */
  readonly #handling = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /**
   * @param onMessage Handles a message from another tab. It resolves to true if the message is a
   *   response to a query.
   * @param onMissed Called if messages might be lost: a page in the back/forward cache receives
   *   none, and a prerendered page might receive none.
   */
  constructor(
    name: string,
    onMessage: (message: JsonObject) => unknown,
    onMissed: () => unknown = () => undefined,
  ) {
    this.#name = name;
    // This property exists only in pages.
    if ("onpageshow" in globalThis) {
      const { signal } = this.#closing;
      addEventListener("pageshow", ({ persisted }) => persisted && onMissed(), { signal });
      document.addEventListener("prerenderingchange", onMissed, { signal });
    }
    try {
      this.#channel = new BroadcastChannel(name);
    } catch {
      // Firefox throws if it blocks the site's data:
      // https://storage.spec.whatwg.org/#obtain-a-storage-key. Without a channel, tabs read the
      // store.
      return;
    }
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (!isJsonObject(data)) return;
      const handled = Promise.resolve(onMessage(data));
      const handling = handled.then((isResponse) => isResponse && this.#onResponse?.());
      this.#handling.add(handling);
      void handling.finally(() => this.#handling.delete(handling));
    };
    // An open channel would keep Node running.
    (this.#channel as { unref?: () => void }).unref?.();
  }

  broadcast(message: JsonObject): void {
    this.#channel?.postMessage(message);
  }

  /**
   * Resolves after a response, or if no response arrives in time. A busy browser delivers messages
   * late, but in order: when this tab's own listener receives this tab's last message, every
   * response that was sent before it has arrived.
   */
  async query(question: JsonObject): Promise<void> {
    if (!this.#channel) return;
    const listener = new BroadcastChannel(this.#name);
    const ended = new AbortController();
    // Waits for a marker of this query, because the listener also receives other tabs' messages.
    const delivery = async () => {
      const mark = Math.random();
      const delivered = new Promise<void>((resolve) => {
        listener.onmessage = ({ data }) => data === mark && resolve();
      });
      this.#channel?.postMessage(mark);
      await Promise.race([delivered, wait(DELIVERY_MS, ended.signal)]);
    };
    const response = new Promise<void>((resolve) => (this.#onResponse = resolve));
    const noResponse = async () => {
      this.broadcast(question);
      await delivery();
      await wait(RESPONSE_MS, ended.signal);
      await delivery();
      await Promise.all(this.#handling);
    };
    await Promise.race([response, noResponse()]);
    ended.abort();
    listener.close();
  }

  close(): void {
    this.#closing.abort();
    this.#channel?.close();
    this.#channel = undefined;
  }
}
