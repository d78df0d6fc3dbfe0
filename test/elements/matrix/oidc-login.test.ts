import { testMatrix } from "./matrix.js";

await testMatrix("oidc-login");
