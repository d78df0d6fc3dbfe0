import "matrix-auth-elements/define";
import { HomeserverClient } from "matrix-auth-elements/core";
import { showAccount } from "./account-page.js";

await showAccount(HomeserverClient);
