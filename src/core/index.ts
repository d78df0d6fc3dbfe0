export type { AuthDict, UIAuthCallback } from "./shared/auth-dict.js";
export {
  RequestError,
  RequestErrorCode,
  type JsonResponse,
  type JsonObject,
  type AuthErrorOptions,
  type RequestOptions,
  type AbortOptions,
} from "./http/index.js";
export * from "./matrix/index.js";
export * from "./legacy/index.js";
export * from "./oauth/index.js";
export { secureRandomString } from "./shared/base64url.js";
export * from "./session/index.js";
export * from "./uia/index.js";
