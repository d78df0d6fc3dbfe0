import { presentMembers } from "../core/http/json.js";
import type { MatrixSession } from "../core/index.js";
import { sessionEnded } from "../core/session/events.js";

interface UploadOptions {
  abortController?: AbortController;
}

/**
 * matrix-js-sdk uploads with XMLHttpRequest, which reports progress, and with the client's current
 * token.
 */
export interface UploadingApi {
  // Its types are matrix-js-sdk's own, and different in each version.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  uploadContent(file: any, options?: UploadOptions): Promise<any>;
  cancelUpload(upload: Promise<unknown>): boolean;
}

/**
 * Makes uploads wait for a valid token, and try again with a new one. When the session ends, it
 * aborts them.
 *
 * @param give Gives the client the token that it uploads with.
 * @param detached When it aborts, uploads that have not been sent are rejected: the client may have
 *   another user.
 * @returns A function that undoes this.
 */
export function attachUploads(
  http: UploadingApi,
  session: MatrixSession,
  give: (token: string) => void,
  detached: AbortSignal,
): () => void {
  const uploadContent = http.uploadContent.bind(http);
  const cancelUpload = http.cancelUpload.bind(http);
  /** The uploads that have not ended: matrix-js-sdk cannot cancel those that wait for a token. */
  const uploads = new Map<Promise<unknown>, AbortController>();

  const upload = async (file: unknown, options: Required<UploadOptions>): Promise<unknown> => {
    const { signal } = options.abortController;
    const either = AbortSignal.any([signal, detached]);
    const send = (token: string): Promise<unknown> => {
      either.throwIfAborted();
      give(token);
      return uploadContent(file, options) as Promise<unknown>;
    };
    try {
      const token = await session.accessToken({ signal: either });
      return await send(token).catch(async (error: unknown) => {
        const { errcode, data } = presentMembers(error);
        if (errcode !== "M_UNKNOWN_TOKEN") throw error;
        const softLogout = presentMembers(data)["soft_logout"] === true;
        const other = await session.replaceToken(token, softLogout, { signal: either });
        if (other === undefined) throw error;
        return send(other);
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };

  const end = (): void => {
    for (const upload of uploads.values()) upload.abort(sessionEnded());
  };
  session.addEventListener("session-ended", end, { signal: detached });

  http.uploadContent = (file, options = {}) => {
    const abortController = options.abortController ?? new AbortController();
    const promise = upload(file, { ...options, abortController });
    uploads.set(promise, abortController);
    const forget = (): void => void uploads.delete(promise);
    promise.then(forget, forget);
    return promise;
  };
  http.cancelUpload = (promise) => {
    const abortController = uploads.get(promise);
    abortController?.abort();
    // matrix-js-sdk recognizes only its own promise of an upload.
    return abortController !== undefined || cancelUpload(promise);
  };
  return () => Object.assign(http, { uploadContent, cancelUpload });
}
