// matrix-auth-elements/capture: takes the response to a sign-in out of the page's URL before anything
// else can read it, for the code that completes it later. The entries with elements do the same.
import { captureEarly } from "../sign-in/captured-response.js";

captureEarly();

export {};
