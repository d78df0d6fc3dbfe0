// The element's entry declares the element and its events.
import { MatrixLoginElement } from "matrix-auth-elements/matrix-login";

MatrixLoginElement.define("my-login");
const login = document.createElement("matrix-login");
login.addEventListener("matrix-login-homeserver", ({ detail }) => detail.methods.length);
login.addEventListener("matrix-login-start", ({ detail }) => detail.homeserverUrl.length);
login.addEventListener("matrix-login-redirect", ({ detail }) => detail.url.length);
login.addEventListener("matrix-login-success", ({ detail }) => detail.session.key.length);
login.addEventListener("matrix-login-cancel", ({ detail }) => detail.reason.length);
login.addEventListener("matrix-login-error", ({ detail }) => detail.error.code.length);
