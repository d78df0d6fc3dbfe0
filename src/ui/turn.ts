/** One operation of an element, until it is cancelled or replaced. Its signal is for requests. */
export class Turn extends AbortController {
  isOver(): boolean {
    return this.signal.aborted;
  }
}

/** A sequence of turns. Each ends the previous one. */
export class Turns {
  current = new Turn();

  begin(): Turn {
    this.current.abort();
    return (this.current = new Turn());
  }
}

/** Runs a function when an element has left the page, but not when it was only moved. */
export function whenRemoved(host: Element, run: () => void): void {
  queueMicrotask(() => {
    if (!host.isConnected) run();
  });
}
