import { isJsonObject, type JsonObject } from "../http/json.js";
import { wait } from "../http/wait.js";

/** How long the other tabs may take to respond to a message that has reached them, in milliseconds. */
const RESPONSE_MS = 100;

/** How long a message may take to reach them, on a machine that is busy. */
const DELIVERY_MS = 1500;

/** Messages between the tabs of this origin. */
export class TabChannel {
  readonly #name: string;
  #channel: BroadcastChannel | undefined;
  #onResponse: (() => void) | undefined;

  /** @param onMessage Handles a message from another tab; returns whether it responds to a query. */
  constructor(name: string, onMessage: (message: JsonObject) => boolean) {
    this.#name = name;
    try {
      this.#channel = new BroadcastChannel(name);
    } catch {
      // There is none, or Firefox blocks it along with the site's data: a tab reads the store instead.
      return;
    }
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isJsonObject(data) && onMessage(data)) this.#onResponse?.();
    };
    // An open channel would keep Node running.
    (this.#channel as { unref?: () => void }).unref?.();
  }

  broadcast(message: JsonObject): void {
    this.#channel?.postMessage(message);
  }

  /**
   * Asks the other tabs and waits until one responds or the time is up. That begins when a listener of this
   * tab's own has the message, and is longer where that took long: the response has the same way to go.
   */
  async query(question: JsonObject): Promise<void> {
    if (!this.#channel) return;
    const listener = new BroadcastChannel(this.#name);
    const over = new AbortController();
    const begin = performance.now();
    const response = new Promise<void>((resolve) => (this.#onResponse = resolve));
    const delivered = new Promise<void>((resolve) => (listener.onmessage = () => resolve()));
    this.broadcast(question);
    const noResponse = async (): Promise<void> => {
      await Promise.race([delivered, wait(DELIVERY_MS, over.signal)]);
      await wait(Math.max(RESPONSE_MS, 2 * (performance.now() - begin)), over.signal);
    };
    await Promise.race([response, noResponse()]);
    over.abort();
    listener.close();
  }

  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }
}
