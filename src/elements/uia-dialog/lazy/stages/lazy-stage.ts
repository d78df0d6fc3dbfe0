import type { Stage } from "./stage-view.js";

/**
 * A stage that not every page needs: its view is in a module of its own.
 *
 * @param load Loads the view; a further call joins a load, or begins another after a failure.
 */
export function lazyStage(load: () => Promise<Stage>): Stage {
  let view: Stage | undefined;
  let failed = false;
  const loadView = async (): Promise<void> => {
    view = await load();
  };
  const stage: Stage = (context) => {
    if (view) return view(context);
    const { term, refresh } = context;
    const setFailed = (value: boolean): void => {
      failed = value;
      refresh();
    };
    if (failed) {
      const onSubmit = (): void => setFailed(false);
      return { error: "errorLoadFailed", action: term("tryAgain"), onSubmit };
    }
    loadView().then(refresh, () => setFailed(true));
    return { instruction: term("uiaWorking"), loading: true };
  };
  stage.prefetch = (): void => {
    failed = false;
    loadView().catch(() => undefined);
  };
  return stage;
}
