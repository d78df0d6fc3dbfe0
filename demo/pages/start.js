import "matrix-auth-elements/define";
import * as core from "matrix-auth-elements/core";
import { setUpAccounts } from "./account-switcher.js";
import { logEvents } from "./event-log.js";
import { showNotice } from "./session.js";

const login = document.querySelector("matrix-login");
const { clientUri } = document.querySelector("main").dataset;
if (clientUri) login.clientUri = clientUri;

showNotice();
logEvents([login], document.querySelector("#log"));
await setUpAccounts(core, login);
