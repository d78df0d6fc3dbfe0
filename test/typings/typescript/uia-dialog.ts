// The element's entry declares the element and its events.
import "matrix-auth-elements/uia-dialog";

const dialog = document.createElement("uia-dialog");
dialog.addEventListener("uia-state-updated", ({ detail }) => detail.nextStage.length);
dialog.addEventListener("uia-busy-changed", ({ detail }) => !detail.busy);
dialog.addEventListener("uia-do-request", (event) => event.respondWith(event.detail.authData));
dialog.addEventListener("uia-request-email-token", (event) => event.respondWith({ sid: "1" }));
dialog.addEventListener("uia-request-phone-token", (event) => event.respondWith({ sid: "1" }));
dialog.addEventListener("uia-success", ({ detail }) => detail.result);
dialog.addEventListener("uia-cancel", ({ detail }) => detail.reason);
dialog.addEventListener("uia-error", ({ detail }) => detail.code.length);
// The dialog's entry includes the frame.
document.createElement("uia-fallback-frame").open();
