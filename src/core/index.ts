export type { AuthDict, UIAuthCallback } from "./auth-dict.js";
export {
  RequestError,
  RequestErrorCode,
  type JsonResponse,
  type JsonObject,
  type RequestErrorOptions,
  type RequestOptions,
  type AbortOptions,
} from "./http/index.js";
export * from "./homeserver/index.js";
export * from "./legacy/index.js";
export * from "./oidc/index.js";
export { secureRandomString } from "./random.js";
export * from "./session/index.js";
export * from "./uia/index.js";
