// @ts-check
import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { createAuthentication } from "./authentication.js";
import { MatrixError, notFound } from "./errors.js";

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * @typedef {object} Medium
 * @property {string} type as it was uploaded
 * @property {Buffer} content
 */

/**
 * Media that only users of this homeserver may load. Thumbnails are the whole, which the specification allows.
 *
 * https://spec.matrix.org/v1.19/client-server-api/#content-repository
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addMediaRoutes(router, homeserver) {
  const { serverName, mediaRedirect } = homeserver;
  const authenticate = createAuthentication(homeserver);
  /** @type {Map<string, Medium>} */
  const media = new Map();

  router.post("/_matrix/media/v3/upload", async (ctx) => {
    await authenticate(ctx);
    const content = await buffer(ctx.req);
    if (content.length > MAX_BYTES) throw new MatrixError(413, "M_TOO_LARGE", "Too large");
    const mediaId = randomUUID();
    media.set(mediaId, { type: ctx.get("Content-Type") || "application/octet-stream", content });
    ctx.body = { content_uri: `mxc://${serverName}/${mediaId}` };
  });

  const paths = ["download/:serverName/:mediaId", "thumbnail/:serverName/:mediaId"];
  for (const path of paths) {
    router.get(`/_matrix/client/v1/media/${path}`, async (ctx) => {
      await authenticate(ctx);
      const medium = media.get(ctx.params["mediaId"] ?? "");
      if (!medium || ctx.params["serverName"] !== serverName) throw notFound("No such media");
      if (mediaRedirect !== null) return ctx.redirect(mediaRedirect);
      sendRange(ctx, medium);
    });
  }
}

/**
 * Sends the range that is asked for, if it is a single one that begins in the content; else the whole.
 *
 * @param {import("koa").Context} ctx
 * @param {Medium} medium
 */
function sendRange(ctx, { type, content }) {
  // What others have uploaded must run no script on this origin.
  ctx.set({ "Content-Security-Policy": "sandbox; default-src 'none'", "Accept-Ranges": "bytes" });
  ctx.type = type;
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(ctx.get("Range")) ?? [];
  const begin = Number(first);
  if (first === undefined || begin >= content.length) {
    ctx.body = content;
    return;
  }
  const end = Math.min(last ? Number(last) + 1 : Infinity, content.length);
  ctx.status = 206;
  ctx.set("Content-Range", `bytes ${begin}-${end - 1}/${content.length}`);
  ctx.body = content.subarray(begin, end);
}
