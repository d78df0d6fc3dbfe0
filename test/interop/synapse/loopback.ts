import { bodyParser } from "@koa/bodyparser";
import Koa from "koa";
import { listenOnLoopback } from "../../../demo/server/loopback.js";

export interface Loopback {
  readonly origin: string;
  close(): Promise<void>;
}

export interface JsonRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The fields of a JSON object or of a form. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Serves JSON to Synapse on loopback. If the function returns undefined, the status is 404. */
export async function serveJson(
  respond: (request: JsonRequest) => object | undefined,
): Promise<Loopback> {
  const app = new Koa().use(bodyParser()).use(({ request, response }) => {
    const fields = (request.body ?? {}) as JsonRequest["fields"];
    const body = respond({ path: request.path, query: request.query, fields });
    if (body) response.body = body;
  });
  const loopback = await listenOnLoopback(0);
  loopback.serve(app.callback());
  return loopback;
}
