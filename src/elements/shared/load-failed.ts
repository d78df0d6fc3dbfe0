import { html, type TemplateResult } from "lit";
import type { LocalizeController } from "./localize.js";

/** What an element shows where a part of the library could not be loaded. */
export const renderLoadFailed = (localize: LocalizeController): TemplateResult =>
  html`<div id="error" class="error" part="error" role="alert">
    ${localize.term("errorLoadFailed")}
  </div>`;
