import { html, type TemplateResult } from "lit";
import type { LocalizeController } from "../shared/localize.js";

/** Shown from the start, so it is not in the part that is loaded later. */
export const renderPending = (localize: LocalizeController): TemplateResult =>
  html`<slot name="pending"
    ><div part="pending">
      <span part="spinner"></span><span>${localize.term("completing")}</span>
    </div></slot
  >`;
