import { testMatrix } from "./matrix.js";

await testMatrix("uia-fallback-frame");
