import { UiaFallbackFrameElement } from "../elements/uia-fallback-frame/uia-fallback-frame.js";

UiaFallbackFrameElement.define();

export { UiaFallbackFrameElement };

// Makes this entry also declare the events' types.
export type {} from "../events/uia-fallback.js";
