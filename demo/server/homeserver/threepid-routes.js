// @ts-check
import { readObject } from "./body.js";
import { MatrixError } from "./errors.js";
import { readAddress } from "./threepids.js";
import { sendPage } from "./uia/page.js";

/** @typedef {"register" | "account/password" | "account/3pid"} Purpose */

/**
 * Sending messages to addresses, and hearing that somebody reads them.
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addThreePidRoutes(router, homeserver) {
  const { baseUrl, threepids } = homeserver;
  const submitUrl = `${baseUrl}/_matrix/client/unstable/add_threepid/msisdn/submit_token`;

  /** @type {(purpose: Purpose, owner: string | undefined) => void} */
  const assertUsable = (purpose, owner) => {
    if (purpose === "account/password" && !owner) {
      throw new MatrixError(400, "M_THREEPID_NOT_FOUND", "Email not found");
    }
    if (purpose !== "account/password" && owner) {
      throw new MatrixError(400, "M_THREEPID_IN_USE", "Email is already in use");
    }
  };

  for (const purpose of /** @type {const} */ (["register", "account/password", "account/3pid"])) {
    for (const medium of /** @type {const} */ (["email", "msisdn"])) {
      router.post(`/_matrix/client/v3/${purpose}/${medium}/requestToken`, async (ctx) => {
        const body = await readObject(ctx);
        const { client_secret: secret, send_attempt: attempt } = body;
        if (typeof secret !== "string" || !/^[0-9a-zA-Z.=_-]{1,255}$/.test(secret)) {
          throw new MatrixError(400, "M_INVALID_PARAM", "Invalid client_secret parameter");
        }
        const address = readAddress(medium, body);
        assertUsable(purpose, threepids.ownerOf(medium, address));
        const { sid } = threepids.request({ medium, address, secret, attempt: Number(attempt) });
        ctx.body = medium === "email" ? { sid } : { sid, submit_url: submitUrl, msisdn: address };
      });
    }
  }

  router.post("/_matrix/client/unstable/add_threepid/msisdn/submit_token", async (ctx) => {
    const { sid, client_secret: secret, token } = await readObject(ctx);
    if (!threepids.submit(String(sid), String(secret), String(token))) {
      throw new MatrixError(400, "M_TOKEN_INCORRECT", "Token is incorrect");
    }
    ctx.body = { success: true };
  });

  const link = "/_matrix/client/unstable/registration/email/submit_token";
  router.get(link, (ctx) => {
    // Mail programs open links on their own: it takes a person to press the button.
    sendPage(ctx, homeserver, {
      title: "Confirm your address",
      form: "Confirm",
      action: ctx.url,
    });
  });
  router.post(link, (ctx) => {
    const { sid, client_secret: secret, token } = ctx.query;
    const good = threepids.submit(String(sid), String(secret), String(token));
    if (!good) ctx.status = 400;
    sendPage(ctx, homeserver, {
      title: good ? "Your address is confirmed" : "This link is not good",
      text: good ? "Go back to the page that you came from." : "Ask for another message.",
    });
  });
}
