import type { Environment } from "./environment.js";
import { notFound, redirectResponse, refuse, RESPONSE_HEADERS, type Routes } from "./exchange.js";

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Media that only users of this homeserver can load. A thumbnail is the whole image, which the
 * specification allows.
 *
 * @see https://spec.matrix.org/latest/client-server-api/#content-repository
 */
export function mediaRoutes(environment: Environment): Routes {
  const download = environment.signedIn((call) => {
    const [serverName, mediaId = ""] = call.params;
    const found = environment.data.media[mediaId];
    if (!found || serverName !== environment.serverName) throw notFound("No such media");
    const { mediaRedirect } = environment.options;
    if (mediaRedirect !== undefined) return redirectResponse(mediaRedirect);
    return mediaResponse(found, call.headers.get("Range") ?? "");
  });

  const config = environment.signedIn(() => ({ "m.upload.size": MAX_BYTES }));

  return {
    "GET client/v1/media/config": config,
    "GET media/v3/config": config,
    "POST media/v3/upload": environment.signedIn(async (call) => {
      const bytes = new Uint8Array(await call.bytes());
      if (bytes.length > MAX_BYTES) throw refuse(413, "M_TOO_LARGE", "Too large");
      const mediaId = environment.nameFor("media-");
      environment.data.media[mediaId] = {
        type: call.headers.get("Content-Type") ?? "application/octet-stream",
        content: Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""),
      };
      return { content_uri: `mxc://${environment.serverName}/${mediaId}` };
    }),
    "GET client/v1/media/download/:serverName/:mediaId": download,
    "GET client/v1/media/download/:serverName/:mediaId/:fileName": download,
    "GET client/v1/media/thumbnail/:serverName/:mediaId": download,
  };
}

/**
 * The requested range, if it is a single range that starts within the content. Otherwise the whole
 * content.
 */
function mediaResponse(
  { type, content }: Environment["data"]["media"][string],
  asked: string,
): Response {
  const headers = {
    ...RESPONSE_HEADERS,
    "Content-Type": type,
    "Accept-Ranges": "bytes",
    // Uploaded scripts must not run on this origin.
    "Content-Security-Policy": "sandbox; default-src 'none'",
  };
  const bytes = Uint8Array.from(content, (character) => character.charCodeAt(0));
  const { length } = bytes;
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(asked) ?? [];
  const begin = Number(first);
  if (first === undefined || begin >= length) return new Response(bytes, { headers });
  const end = Math.min(last ? Number(last) + 1 : Infinity, length);
  return new Response(bytes.slice(begin, end), {
    status: 206,
    headers: { ...headers, "Content-Range": `bytes ${begin}-${end - 1}/${length}` },
  });
}
