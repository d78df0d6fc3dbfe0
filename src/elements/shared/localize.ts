import {
  LocalizeController as BaseLocalizeController,
  registerTranslation,
} from "@shoelace-style/localize";
import { en } from "../../locales/en.js";
import type { Translation } from "../../locales/translation.js";

// Beside the controller, because a bundler may drop a module that is only imported for its effect.
registerTranslation(en);

/** The texts in the language of the element's `lang`, else the page's. */
export class LocalizeController extends BaseLocalizeController<Translation> {}

export { registerTranslation };
