import { isJsonObject, wait, type JsonObject } from "../http/index.js";

/** How long the other tabs may take to answer; in milliseconds. */
const ANSWER_MS = 100;

/** What tabs of this origin tell each other. */
export class TabChannel {
  #channel: BroadcastChannel | undefined;
  #answered: (() => void) | undefined;

  /** @param heard Takes a message from another tab; whether it answers what was asked. */
  constructor(name: string, heard: (message: JsonObject) => boolean) {
    // Where there is none, a tab learns of the others when it looks into the store.
    if (!(globalThis as { BroadcastChannel?: unknown }).BroadcastChannel) return;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isJsonObject(data) && heard(data)) this.#answered?.();
    };
    // Node would not end while it is open.
    (this.#channel as { unref?: () => void }).unref?.();
  }

  tell(message: JsonObject): void {
    this.#channel?.postMessage(message);
  }

  /** Asks the other tabs, and waits until one has answered, or all had time to. */
  async ask(question: JsonObject): Promise<void> {
    if (!this.#channel) return;
    const answer = new Promise<void>((resolve) => (this.#answered = resolve));
    this.tell(question);
    await Promise.race([answer, wait(ANSWER_MS)]);
  }

  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }
}
