import * as firstScreen from "../elements/matrix-login/first-screen.js";
import { loadFirstScreen, MatrixLoginElement } from "../elements/matrix-login/matrix-login.js";
import { captureEarly } from "../sign-in/captured-response.js";

// A page that contains only this element shows its first screen at once.
loadFirstScreen.loaded = firstScreen;
MatrixLoginElement.define();
captureEarly();

export { MatrixLoginElement };

// Makes this entry also declare the events' types.
export type {} from "../events/matrix-login.js";
