// dist/cdn/requests.js: the modules that a page that completes a sign-in would otherwise load in
// two or more of its files. These files share every module in this list: see rollup.config.mjs.
export * from "../core/http/body-members.js";
export * from "../core/http/errors.js";
export * from "../core/http/fetch.js";
export * from "../core/http/json.js";
export * from "../core/http/path-part.js";
export * from "../core/http/request.js";
export * from "../core/http/url.js";
export * from "../core/http/wait.js";
export * from "../core/matrix/client.js";
export * from "../core/matrix/error.js";
export * from "../core/matrix/request.js";
export * from "../core/matrix/whoami.js";
export * from "../core/oauth/certified.js";
export * from "../core/oauth/issuer-request.js";
export * from "../core/oauth/revocation.js";
export * from "../core/shared/base64url.js";
