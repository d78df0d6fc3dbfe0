// matrix-auth-elements/capture: removes the response to a sign-in from the page's URL before other
// code can read it, and keeps it for the code that completes the sign-in later. The entries with
// elements do the same.
import { captureEarly } from "../sign-in/captured-response.js";

captureEarly();

export {};
