// The element's entry declares the element and its events.
import "matrix-auth-elements/uia-fallback-frame";

const frame = document.createElement("uia-fallback-frame");
frame.addEventListener("uia-fallback-open", ({ detail }) => detail.url.length);
frame.addEventListener("uia-fallback-done", ({ detail }) => detail.stage.length);
frame.addEventListener("uia-fallback-close", ({ detail }) => detail.session?.length);
frame.addEventListener("uia-fallback-blocked", ({ detail }) => detail.url.length);
