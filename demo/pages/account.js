import "matrix-auth-elements/define";
import * as core from "matrix-auth-elements/core";
import { showAccount } from "./account-page.js";

await showAccount(core);
