import "matrix-auth-elements/define";
import { keepSession } from "./session.js";

document.addEventListener("oidc-success", ({ detail }) => keepSession(detail));
