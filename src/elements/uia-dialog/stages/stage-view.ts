import type { TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session-context.js";
import type { Texts } from "../../../locales/translation.js";
import type { LoadCaptcha } from "../captcha.js";

/** What a stage shows. The dialog sees to the frame around it, the buttons, busy and errors. */
export interface StageView {
  /** What the person is to do; said too. */
  readonly ask?: string;
  /** What else is said, in paragraphs. */
  readonly told?: TemplateResult;
  /** Shown in the dialog's shadow. */
  readonly body?: unknown;
  /** What it shows has to be loaded first. */
  readonly waits?: boolean;
  /** Why there is nothing else to show. */
  readonly error?: keyof Texts;
  /** Whether what it shows opens something beside the dialog: that is out of reach while a dialog is modal. */
  readonly opensBeside?: boolean;
  /** What the person fills in: light DOM, where password managers look. */
  readonly fields?: TemplateResult;
  /** Tells fields from others of the same stage: what was filled into those is not for these. */
  readonly purpose?: string;
  /** The label of the button that goes on; without it there is none. */
  readonly action?: string;
  /** What that button does; `values` are those of `fields`. */
  readonly act?: (values: FormData) => unknown;
  /** Called when `fields` are in the document, after each render. */
  readonly ready?: (form: HTMLFormElement) => void;
  readonly others?: readonly OtherAction[];
  /** The name of the field that an error belongs to. */
  readonly errorField?: string;
}

export interface OtherAction {
  readonly label: string;
  readonly act: () => unknown;
  readonly disabled?: boolean;
}

/** What a view is a function of. */
export interface StageContext {
  readonly session: UiaSession;
  readonly term: (key: keyof Texts) => string;
  /** A language tag. */
  readonly language: string;
  /** Makes a name unique in the document. */
  readonly id: (name: string) => string;
  /** Whether `errorField` is to be tied to an error. */
  readonly invalid: boolean;
  readonly loadCaptcha: LoadCaptcha | undefined;
  /** Shows the view again: something that it waited for is there. */
  readonly refresh: () => void;
  /** Says what is wrong with what was filled in, without asking anybody. */
  readonly refuse: (text: keyof Texts) => void;
}

export type Stage = (context: StageContext) => StageView;
