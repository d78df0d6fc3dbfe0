import "matrix-auth-elements/define";
import { startPage } from "./start-page.js";
import { logEvents } from "./event-log.js";

startPage();
logEvents(document.querySelectorAll("oidc-login"), document.querySelector("#log"));
