import { testMatrix } from "./matrix.js";

await testMatrix("matrix-account");
