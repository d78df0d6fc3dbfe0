import type { Stage } from "./stage-view.js";

/** A stage that few pages ever see: its view is a module of its own. */
export class FetchedStage {
  readonly #load: () => Promise<Stage>;
  #view: Stage | undefined;
  #fetching: Promise<void> | undefined;
  #failed = false;

  constructor(load: () => Promise<Stage>) {
    this.#load = load;
  }

  /** Has the module there before it is shown, or once more where it could not be loaded. Never rejects. */
  fetch(): Promise<void> {
    this.#failed = false;
    return (this.#fetching ??= this.#load().then(
      (view) => {
        this.#view = view;
      },
      () => {
        this.#failed = true;
        this.#fetching = undefined;
      },
    ));
  }

  readonly view: Stage = (context) => {
    if (this.#view) return this.#view(context);
    const { term, refresh } = context;
    const fetch = (): void => void this.fetch().then(refresh);
    if (this.#failed) {
      return {
        error: "errorLoadFailed",
        action: term("tryAgain"),
        act() {
          fetch();
          refresh();
        },
      };
    }
    fetch();
    return { ask: term("uiaWorking") };
  };
}
