import { MatrixLoginElement } from "../elements/matrix-login/matrix-login.js";

MatrixLoginElement.define();

export { MatrixLoginElement };

// So that this entry also declares the events' types.
export type * from "../events/index.js";
