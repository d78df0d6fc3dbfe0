import type { AccountClient } from "../../context/auth-client.js";
import { countIn } from "../../core/http/body-members.js";
import { isJsonObject } from "../../core/http/json.js";
import { pathPart } from "../../core/http/path-part.js";
import { readMxcUrl } from "../../core/shared/identifiers.js";
import { readFailure } from "../../core/uia/failure.js";

/** The file types that users can choose: pixel images that other clients can show, too. */
export const IMAGE_TYPES: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
];

/**
 * In pixels. The picture is shown at half this size, because many screens have two device pixels
 * per CSS pixel.
 */
const SIZE = { width: 192, height: 192, method: "crop" } as const;

/** The longest side of a picture that is sent, in pixels. Clients show it smaller. */
const MAX_SENT = 1024;

/** The part of matrix-js-sdk's client that loads media. It has no method for a thumbnail. */
interface SdkClient {
  readonly http?: {
    authedRequest(
      method: "GET",
      path: string,
      query: object,
      body: undefined,
      options: object,
    ): Promise<unknown>;
  };
}

/**
 * The path prefixes, in the order in which they are tried. Homeservers before Matrix 1.11 have the
 * second.
 */
const SDK_PREFIXES = ["/_matrix/client/v1/media", "/_matrix/media/v3"] as const;

/**
 * Loads a user's picture with the access token in a header, because histories and logs would keep a
 * URL with a token. @returns Undefined if it isn't an image. @throws the client's errors.
 */
export async function loadPicture(
  client: AccountClient,
  mxcUrl: string,
  signal: AbortSignal,
): Promise<Blob | undefined> {
  const picture = client.getThumbnail
    ? await client.getThumbnail(mxcUrl, SIZE, { signal })
    : await loadWithSdk(client as SdkClient, mxcUrl);
  signal.throwIfAborted();
  const isImage = picture instanceof Blob && IMAGE_TYPES.includes(picture.type);
  return isImage ? picture : undefined;
}

async function loadWithSdk({ http }: SdkClient, mxcUrl: string): Promise<unknown> {
  const media = readMxcUrl(mxcUrl);
  if (!http || !media) return undefined;
  const path = `/thumbnail/${pathPart(media.server)}/${media.id}`;
  const load = (prefix: string): Promise<unknown> =>
    http.authedRequest("GET", path, SIZE, undefined, { prefix, rawResponseBody: true });
  const [prefix, before] = SDK_PREFIXES;
  return load(prefix).catch((error: unknown) => {
    const { errcode } = readFailure(error);
    // Dendrite 0.13 rejects the preflight.
    if (errcode === "M_UNRECOGNIZED" || errcode === "network_error") return load(before);
    throw error;
  });
}

/** The homeserver's limit for uploads, in bytes. Undefined if the homeserver doesn't report it. */
export async function findSizeLimit(client: AccountClient): Promise<number | undefined> {
  try {
    const config: unknown = await client.getMediaConfig?.(true);
    return isJsonObject(config) ? countIn(config["m.upload.size"]) : undefined;
  } catch {
    // Without a known limit, the homeserver rejects an upload that is too large.
    return undefined;
  }
}

/**
 * The picture as it is sent: drawn again, smaller if it is large, and without what else the file contains, such as
 * the place where a photo was taken. A GIF is sent as it is: it can be animated, and cameras make none.
 *
 * @returns Undefined if the file isn't an image that browsers can show. The type is only derived from its name.
 */
export async function preparePicture(file: Blob): Promise<Blob | undefined> {
  if (!IMAGE_TYPES.includes(file.type)) return undefined;
  try {
    const image = await createImageBitmap(file);
    const isGif = (await file.slice(0, 4).text()) === "GIF8";
    const picture = isGif ? file : await drawn(image, file.type);
    image.close();
    return picture;
  } catch {
    return undefined;
  }
}

/** @param type If the browser can't write it, the result is a PNG. */
async function drawn(image: ImageBitmap, type: string): Promise<Blob | undefined> {
  const scale = Math.min(1, MAX_SENT / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9));
  return picture ?? undefined;
}

/** A number of bytes, such as "10 MB". Homeservers' limits are multiples of 1024. */
export function shownSize(bytes: number, languages: readonly string[]): string {
  const [unit, size] =
    bytes < 2 ** 20 ? (["kilobyte", 2 ** 10] as const) : (["megabyte", 2 ** 20] as const);
  const format = { style: "unit", unit, maximumFractionDigits: 1 } as const;
  return (bytes / size).toLocaleString([...languages], format);
}
