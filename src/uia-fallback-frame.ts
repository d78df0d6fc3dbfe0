import { UiaFallbackFrameElement } from "./elements/uia-fallback-frame/uia-fallback-frame.js";

UiaFallbackFrameElement.define();

export { UiaFallbackFrameElement };
