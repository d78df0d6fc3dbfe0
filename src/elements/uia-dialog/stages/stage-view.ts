import { html, type TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session.js";
import type { FieldContext } from "../../../ui/form/field.js";
import type { Message } from "../../../ui/format-text.js";
import type { Load } from "../../../ui/loading.js";
import { tryAgain } from "../../../ui/reload.js";
import { loadFallback } from "../../uia-fallback-frame/uia-fallback-frame.js";
import type { LoadCaptcha } from "../options.js";

/** The content of a stage. The dialog adds the frame, buttons, busy state and errors. */
export interface StageView {
  /** The instruction for the user. Screen readers announce it, too. */
  readonly instruction?: string;
  /** Whether the instruction adds nothing to the page's description. */
  readonly generic?: boolean;
  readonly details?: TemplateResult;
  /** Shown in the dialog's shadow root. */
  readonly body?: unknown;
  /** Like `body`, but with its own row of buttons. `rest` contains the dialog's content for it. */
  readonly bodyWith?: (rest: Readonly<Record<"messages" | "buttons", unknown>>) => TemplateResult;
  /**
   * Whether the view must be loaded first. If there is no instruction, the dialog asks the user to
   * wait.
   */
  readonly loading?: boolean;
  /** The error, if the stage can show nothing else. */
  readonly error?: "errorLoadFailed";
  /**
   * Whether its content opens something outside the dialog. A modal dialog would make that inert.
   */
  readonly nonModal?: boolean;
  /** The fields, in the light DOM, so that password managers find them. */
  readonly fields?: TemplateResult;
  /** Distinguishes fields of the same stage. Input for another purpose is not kept. */
  readonly purpose?: string;
  /**
   * The main button. If unset, the view has none. In the last step, the page's own label replaces
   * "Continue".
   */
  readonly action?: "continue" | { readonly label: string };
  /** The button's action. It receives the values of `fields`. */
  readonly onSubmit?: (values: FormData) => unknown;
  readonly ready?: (form: HTMLFormElement) => void;
  /** Sends another message. The dialog shows how long the user must wait before that. */
  readonly resend?: () => unknown;
  readonly secondaryActions?: readonly SecondaryAction[];
  /** The name of the field that an error belongs to. */
  readonly errorField?: string;
}

export interface SecondaryAction {
  readonly label: string;
  readonly onClick: () => unknown;
  readonly disabled?: boolean;
}

export interface StageContext extends FieldContext {
  readonly session: UiaSession;
  /** A language tag. */
  readonly language: string;
  readonly error: Message | undefined;
  readonly loadCaptcha: LoadCaptcha | undefined;
  /**
   * Whether a view that is loaded later may take the focus. Otherwise the dialog sets the focus
   * later.
   */
  readonly mayTakeFocus: boolean;
  /** Renders the view again, after something that it waited for has arrived. */
  readonly refresh: () => void;
}

export interface Stage {
  (context: StageContext): StageView;
  /** Loads the view before it is shown. If that fails, showing the view loads it again. */
  prefetch?: () => void;
}

/** A stage that not every page needs. Its view is in a separate part. */
export function lazyStage<Part>(load: Load<Part>, viewIn: (part: Part) => Stage): Stage {
  let failure: unknown;
  const stage: Stage = (context) => {
    if (load.loaded) return viewIn(load.loaded)(context);
    const { refresh } = context;
    if (failure) {
      const retry = (): void => {
        failure = undefined;
        refresh();
      };
      const onSubmit = (): void => tryAgain(failure, retry);
      const action = { label: context.term("tryAgain") };
      return { error: "errorLoadFailed", action, onSubmit };
    }
    void load()
      .catch((error: unknown) => (failure = error))
      .then(refresh);
    return { loading: true };
  };
  stage.prefetch = (): void => {
    failure = undefined;
    void load();
  };
  return stage;
}

/**
 * A page of the homeserver or the authorization server that completes the stage.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#fallback
 */
export const fallback: Stage = lazyStage(loadFallback, ({ instructionOf }) => (context) => ({
  instruction: instructionOf(context, context.session.stage),
  // The dialog has just opened or reached this stage, so something must take the focus.
  /* eslint-disable lit-a11y/no-autofocus */
  bodyWith: ({ messages, buttons }) =>
    html`<uia-fallback-frame
      exportparts="open, finished, link, text, host, actions"
      .autofocus=${context.mayTakeFocus}
    >
      <div slot="messages">${messages}</div>
      <div slot="actions" class="row">${buttons}</div>
    </uia-fallback-frame>`,
  /* eslint-enable lit-a11y/no-autofocus */
}));
