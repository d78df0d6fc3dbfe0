import { isJsonObject, wait, type JsonObject } from "../http/index.js";

/** How long the other tabs may take to respond, in milliseconds. */
const ANSWER_MS = 100;

/** Messages between the tabs of this origin. */
export class TabChannel {
  #channel: BroadcastChannel | undefined;
  #answered: (() => void) | undefined;

  /** @param onMessage Handles a message from another tab; returns whether it responds to a query. */
  constructor(name: string, onMessage: (message: JsonObject) => boolean) {
    try {
      this.#channel = new BroadcastChannel(name);
    } catch {
      // There is none, or Firefox blocks it along with the site's data: a tab reads the store instead.
      return;
    }
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isJsonObject(data) && onMessage(data)) this.#answered?.();
    };
    // An open channel would keep Node running.
    (this.#channel as { unref?: () => void }).unref?.();
  }

  broadcast(message: JsonObject): void {
    this.#channel?.postMessage(message);
  }

  /** Asks the other tabs and waits until one responds or the time is up. */
  async query(question: JsonObject): Promise<void> {
    if (!this.#channel) return;
    const answer = new Promise<void>((resolve) => (this.#answered = resolve));
    this.broadcast(question);
    await Promise.race([answer, wait(ANSWER_MS)]);
  }

  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }
}
