/**
 * What an element does, until it is cancelled or does something else instead. Its signal is for
 * requests.
 */
export class Turn extends AbortController {
  isOver(): boolean {
    return this.signal.aborted;
  }
}

/** Turns of which each ends the one before it. */
export class Turns {
  current = new Turn();

  begin(): Turn {
    this.current.abort();
    return (this.current = new Turn());
  }
}

/**
 * Runs what ends an element's work when it has left the page: one that was merely moved goes on.
 */
export function whenRemoved(host: Element, run: () => void): void {
  queueMicrotask(() => {
    if (!host.isConnected) run();
  });
}
