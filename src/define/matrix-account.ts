import { loadSkeleton, MatrixAccountElement } from "../elements/matrix-account/matrix-account.js";
import * as skeleton from "../elements/matrix-account/skeleton.js";

// A page that contains only this element shows the frames of its sections at once.
loadSkeleton.loaded = skeleton;
MatrixAccountElement.define();

export { MatrixAccountElement };

// Makes this entry also declare the events' types.
export type {} from "../events/matrix-account.js";
