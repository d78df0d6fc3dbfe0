export { MatrixError, createClient } from "matrix-js-sdk";
