// The element's entry declares the element and its events.
import "matrix-auth-elements/matrix-account";

const account = document.createElement("matrix-account");
account.addEventListener("matrix-account-change", ({ detail }) => detail.action.length);
account.addEventListener("matrix-account-link", ({ detail }) => detail.url.length);
account.addEventListener("matrix-account-sign-out", ({ detail }) => detail.userId.length);
account.addEventListener("matrix-account-error", ({ detail }) => detail.code.length);
void account.refresh();
account.cancel();
