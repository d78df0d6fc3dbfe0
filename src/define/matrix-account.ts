import { MatrixAccountElement } from "../elements/matrix-account/matrix-account.js";

MatrixAccountElement.define();

export { MatrixAccountElement };

// So that this entry also declares the events' types.
export type {} from "../events/matrix-account.js";
