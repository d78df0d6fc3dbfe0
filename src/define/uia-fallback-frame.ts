import { UiaFallbackFrameElement } from "../elements/uia-fallback-frame/uia-fallback-frame.js";

UiaFallbackFrameElement.define();

export { UiaFallbackFrameElement };

// So that this entry also declares the events' types.
export type {} from "../events/uia-fallback.js";
