// @ts-check
// @ts-expect-error The package has no types.
import cors from "@koa/cors";
import { assertClientRules } from "./client-rules.js";

/**
 * The grants and types that a client can register; everything else is ignored, as Matrix requires.
 */
const GRANT_TYPES = Object.freeze([
  "authorization_code",
  "refresh_token",
  "urn:ietf:params:oauth:grant-type:device_code",
]);

const RESPONSE_TYPES = Object.freeze(["code"]);

/**
 * The provider's option `extraClientMetadata`. Its validator may change what a client sent, before
 * the provider's own checks reject it.
 *
 * @param {import("./client-rules.js").LoopbackPorts} loopbackPorts
 */
export const clientMetadata = (loopbackPorts) => ({
  // Fields of RFC 7591 that the provider does not support. The validator runs once for each, so one of them
  // would do.
  properties: ["software_id", "software_version"],

  /**
   * @param {unknown} _ctx
   * @param {string} _key
   * @param {unknown} _value
   * @param {Record<string, unknown>} metadata
   */
  validator(_ctx, _key, _value, metadata) {
    keepKnown(metadata, "grant_types", GRANT_TYPES);
    keepKnown(metadata, "response_types", RESPONSE_TYPES);
    assertClientRules(metadata, loopbackPorts);
  },
});

/**
 * @param {Record<string, unknown>} metadata
 * @param {string} field
 * @param {readonly string[]} known
 */
function keepKnown(metadata, field, known) {
  const values = metadata[field];
  if (Array.isArray(values)) metadata[field] = values.filter((value) => known.includes(value));
}

/**
 * Lets browsers register clients: the provider supports CORS on all other endpoints.
 *
 * @param {string} path the registration endpoint's
 * @returns {import("koa").Middleware}
 */
export function allowRegistrationFromBrowsers(path) {
  const open = cors({ origin: "*", allowMethods: ["POST"], maxAge: 3600 });
  return (ctx, next) => (ctx.path === path ? open(ctx, next) : next());
}
