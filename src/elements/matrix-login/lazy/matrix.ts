export { enMatrix as texts } from "../../../locales/en-matrix.js";
export { MatrixLoginController } from "./controller.js";
