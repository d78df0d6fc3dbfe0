import { MatrixLoginElement } from "../elements/matrix-login/matrix-login.js";
import { captureEarly } from "../sign-in/captured-response.js";

MatrixLoginElement.define();
captureEarly();

export { MatrixLoginElement };

// So that this entry also declares the events' types.
export type {} from "../events/matrix-login.js";
