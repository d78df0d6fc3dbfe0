export { authClientContext } from "./auth-client-context.js";
export { provideAuthClient } from "./provide-auth-client.js";
