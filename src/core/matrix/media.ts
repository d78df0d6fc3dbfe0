import { countIn } from "../http/body-members.js";
import { RequestError } from "../http/errors.js";
import {
  type JsonRequest,
  MAX_BYTES,
  readBody,
  type RequestOptions,
  tooLarge,
} from "../http/fetch.js";
import { isText, type JsonObject } from "../http/json.js";
import { requestJson } from "../http/request.js";
import { InvalidSetting, pathPart } from "../http/path-part.js";
import { readMxcUrl } from "../shared/identifiers.js";
import type { MediaConfig, ThumbnailSize, UploadOptions } from "./api-types.js";
import { isRefusal, MatrixError } from "./error.js";
import { bearerHeader, matrixUrl, requestMatrixUrl } from "./request.js";

/** A large file takes long over a slow connection. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** See `HomeserverClient.uploadContent()`. */
export async function uploadMedia(
  homeserverUrl: string,
  file: Blob,
  {
    name,
    type = file.type || "application/octet-stream",
    progressHandler,
    ...options
  }: UploadOptions,
  accessToken: string | undefined,
): Promise<JsonObject & { readonly content_uri: string }> {
  const query = name === undefined ? "" : `?${new URLSearchParams({ filename: name }).toString()}`;
  const url = matrixUrl(homeserverUrl, `v3/upload${query}`, "media");
  const { fetch = globalThis.fetch, timeoutMs = UPLOAD_TIMEOUT_MS } = options;
  const isReported = progressHandler && fetch === globalThis.fetch && isOfPlatform(fetch);
  const response = await requestMatrixUrl(
    url,
    { method: "POST", body: file.slice(0, file.size, type), accessToken },
    { ...options, timeoutMs, fetch: isReported ? fetchReporting(progressHandler) : fetch },
  );
  const { content_uri } = response;
  if (isText(content_uri)) return { ...response, content_uri };
  throw new RequestError("response_not_json", "The response contains no valid content_uri");
}

/** A page that replaces `fetch` expects all requests to use the replacement. */
const isOfPlatform = (fetch: typeof globalThis.fetch): boolean =>
  "XMLHttpRequest" in globalThis &&
  Function.prototype.toString.call(fetch).includes("[native code]");

/**
 * A `fetch` for one upload that reports its progress, which the platform's `fetch` can't. It
 * follows redirects, unlike the platform's, but treats a redirected response as an error. Only the
 * homeserver can redirect, and it already has the token and the file.
 */
const fetchReporting =
  (onProgress: NonNullable<UploadOptions["progressHandler"]>): typeof globalThis.fetch =>
  (input, { method = "GET", headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      // `requestJson()` passes a string.
      const url = input as string;
      const request = new XMLHttpRequest();
      const onAbort = (): void => request.abort();
      request.open(method, url);
      request.responseType = "blob";
      new Headers(headers).forEach((value, name) => request.setRequestHeader(name, value));
      request.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total });
      // Without a limit, the browser would keep a response of any size.
      request.onprogress = ({ loaded }) => {
        if (loaded <= MAX_BYTES.response) return;
        reject(tooLarge(MAX_BYTES.response));
        request.abort();
      };
      request.onload = () => {
        const isRedirected = request.responseURL !== new URL(url).href;
        const received = request.getAllResponseHeaders().trim().split(/\r\n/);
        const pairs = received.map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]);
        // `Response` accepts no higher status. The browser's own may have one.
        const status = Math.min(request.status, 599);
        const init = { status, headers: pairs.filter(([name]) => name) };
        resolve(
          isRedirected
            ? new Response(null, { status: 307 })
            : new Response(hasNoBody(request.status) ? null : (request.response as Blob), init),
        );
      };
      request.onerror = () => reject(new DOMException("The upload failed", "NetworkError"));
      request.onabort = () => reject(new DOMException("The upload was aborted", "AbortError"));
      request.onloadend = () => signal?.removeEventListener("abort", onAbort);
      signal?.addEventListener("abort", onAbort);
      request.send(body as Blob);
    });

const hasNoBody = (status: number): boolean => [204, 205, 304].includes(status);

/** See `HomeserverClient.getMediaConfig()`. */
export async function fetchMediaConfig(
  homeserverUrl: string,
  isAuthenticated: boolean,
  accessToken: string | undefined,
  options: RequestOptions,
): Promise<MediaConfig> {
  const send = async (url: string): Promise<MediaConfig> => {
    const config = await requestMatrixUrl(url, { accessToken }, options);
    return { ...config, "m.upload.size": countIn(config["m.upload.size"]) };
  };
  const before = (): Promise<MediaConfig> => send(matrixUrl(homeserverUrl, "v3/config", "media"));
  if (!isAuthenticated) return before();
  return send(matrixUrl(homeserverUrl, "v1/media/config")).catch(orBefore(before));
}

/**
 * Images that are only pixels. A homeserver's SVG image might contain links and scripts.
 *
 * @see https://developer.mozilla.org/docs/Web/Media/Guides/Formats/Image_types
 */
const IMAGE_TYPE = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** A homeserver that can't create a thumbnail may send the whole image. */
const MAX_IMAGE_BYTES = 1 << 23;

/** See `HomeserverClient.getThumbnail()`. */
export async function fetchThumbnail(
  homeserverUrl: string,
  mxcUrl: string,
  { width, height, method = "scale" }: ThumbnailSize,
  accessToken: string | undefined,
  options: RequestOptions,
): Promise<Blob> {
  const media = readMxcUrl(mxcUrl);
  if (!media) throw new InvalidSetting("The image's URL is not an mxc:// URL");
  const query = new URLSearchParams({ width: String(width), height: String(height), method });
  const path = `thumbnail/${pathPart(media.server)}/${media.id}?${query.toString()}`;
  const headers = accessToken ? { Authorization: bearerHeader(accessToken) } : {};
  return requestImage(matrixUrl(homeserverUrl, `v1/media/${path}`), { headers }, options).catch(
    // Before Matrix 1.11, media were public.
    orBefore(() => requestImage(matrixUrl(homeserverUrl, `v3/${path}`, "media"), {}, options)),
  );
}

async function requestImage(
  url: string,
  request: JsonRequest,
  options: RequestOptions,
): Promise<Blob> {
  const sent = { ...request, read: readImage, redirect: "manual" } as const;
  const response = await requestJson(url, sent, options);
  if (!response.ok) throw new MatrixError(response);
  return response.body as Blob;
}

async function readImage(response: Response, signal: AbortSignal): Promise<Blob> {
  const [header = ""] = response.headers.get("Content-Type")?.split(";") ?? [];
  const type = header.trim().toLowerCase();
  if (!IMAGE_TYPE.test(type)) {
    await response.body?.cancel();
    throw new RequestError("response_not_json", "The homeserver responded without an image");
  }
  const chunks: Uint8Array[] = [];
  await readBody(response, MAX_IMAGE_BYTES, signal, (chunk) => chunks.push(chunk));
  // TypeScript before 5.7 has no type for byte arrays without shared memory, such as the chunks of
  // a body.
  return new Blob(chunks as BlobPart[], { type });
}

/** Falls back to another path, where homeservers before Matrix 1.11 have the endpoints. */
const orBefore =
  <T>(before: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (isUnknownEndpoint(error)) return before();
    throw error;
  };

/**
 * Some homeservers and proxies respond without a Matrix error code. Dendrite 0.13 rejects the
 * preflight, so pages get no response.
 */
const isUnknownEndpoint = (error: unknown): boolean =>
  (error instanceof RequestError && error.code === "network_error") ||
  isRefusal(error, "M_UNRECOGNIZED") ||
  (error instanceof MatrixError && error.errcode === undefined && error.httpStatus === 404);
