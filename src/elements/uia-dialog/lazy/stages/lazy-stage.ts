import type { Stage } from "./stage-view.js";

/** A stage that not every page needs: its view is in a module of its own. */
export class LazyStage {
  readonly #load: () => Promise<Stage>;
  #view: Stage | undefined;
  #loading: Promise<void> | undefined;
  #failed = false;

  constructor(load: () => Promise<Stage>) {
    this.#load = load;
  }

  /** Loads the view before it is shown. If that fails, it is loaded again when it is shown. */
  prefetch(): void {
    this.#failed = false;
    this.#fetch().catch(() => undefined);
  }

  readonly view: Stage = (context) => {
    if (this.#view) return this.#view(context);
    const { term, refresh } = context;
    if (this.#failed) {
      const onSubmit = (): void => {
        this.#failed = false;
        refresh();
      };
      return { error: "errorLoadFailed", action: term("tryAgain"), onSubmit };
    }
    this.#fetch().then(refresh, () => {
      this.#failed = true;
      refresh();
    });
    return { instruction: term("uiaWorking"), loading: true };
  };

  #fetch(): Promise<void> {
    return (this.#loading ??= this.#load().then(
      (view) => {
        this.#view = view;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    ));
  }
}
