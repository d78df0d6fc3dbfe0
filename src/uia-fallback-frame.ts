import { UiaFallbackFrameElement } from "./elements/uia-fallback-frame/uia-fallback-frame.js";

UiaFallbackFrameElement.define();

export { UiaFallbackFrameElement };

// So that this entry declares the events too.
export type * from "./events/index.js";
