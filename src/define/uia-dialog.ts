import { UiaDialogElement } from "../elements/uia-dialog/uia-dialog.js";
import { UiaFallbackFrameElement } from "../elements/uia-fallback-frame/uia-fallback-frame.js";

UiaDialogElement.define();

export { UiaDialogElement, UiaFallbackFrameElement };

// Makes this entry also declare the events' types.
export type {} from "../events/uia.js";
export type {} from "../events/uia-fallback.js";
