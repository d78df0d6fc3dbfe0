import "matrix-auth-elements/define";
import { setUpLogin } from "./oauth-page.js";
import { logEvents } from "./event-log.js";

setUpLogin();
logEvents(document.querySelectorAll("oidc-login"), document.querySelector("#log"));
