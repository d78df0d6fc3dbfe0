// @ts-check
import { assertMembers, readObject } from "./body.js";
import { MatrixError } from "./errors.js";
import { readAddress } from "./threepids.js";
import { sendPage } from "./uia/page.js";

/** @typedef {"register" | "account/password" | "account/3pid"} Purpose */

/** @type {Record<Purpose, string>} where the links of mails lead, as Synapse's do */
const LINK_PATHS = {
  register: "/_matrix/client/unstable/registration/email/submit_token",
  "account/3pid": "/_matrix/client/unstable/add_threepid/email/submit_token",
  "account/password": "/_synapse/client/password_reset/email/submit_token",
};

/**
 * Sending messages to addresses, and confirming that they were read.
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addThreePidRoutes(router, homeserver) {
  const { baseUrl, limits, threepids } = homeserver;
  const submitUrl = `${baseUrl}/_matrix/client/unstable/add_threepid/msisdn/submit_token`;

  /** @type {(purpose: Purpose, medium: "email" | "msisdn", owner: string | undefined) => void} */
  const assertUsable = (purpose, medium, owner) => {
    const what = medium === "email" ? "Email" : "MSISDN";
    if (purpose === "account/password" && !owner) {
      throw new MatrixError(400, "M_THREEPID_NOT_FOUND", `${what} not found`);
    }
    if (purpose !== "account/password" && owner) {
      throw new MatrixError(400, "M_THREEPID_IN_USE", `${what} is already in use`);
    }
  };

  for (const purpose of /** @type {const} */ (["register", "account/password", "account/3pid"])) {
    for (const medium of /** @type {const} */ (["email", "msisdn"])) {
      router.post(`/_matrix/client/v3/${purpose}/${medium}/requestToken`, async (ctx) => {
        const body = await readObject(ctx);
        assertMembers(body, {
          client_secret: "text",
          send_attempt: "number",
          ...(medium === "email" ? { email: "text" } : { country: "text", phone_number: "text" }),
          next_link: "text?",
        });
        const { client_secret: secret, send_attempt: attempt, next_link: nextLink } = body;
        assertSecret(String(secret));
        const address = readAddress(medium, body);
        limits.assert(address);
        limits.count(address);
        assertUsable(purpose, medium, threepids.ownerOf(medium, address));
        const { sid } = threepids.request({
          medium,
          address,
          secret: String(secret),
          attempt: Number(attempt),
          linkPath: LINK_PATHS[purpose],
          ...(typeof nextLink === "string" && { nextLink }),
        });
        ctx.body = medium === "email" ? { sid } : { sid, submit_url: submitUrl };
      });
    }
  }

  router.post("/_matrix/client/unstable/add_threepid/msisdn/submit_token", async (ctx) => {
    const body = await readObject(ctx);
    assertMembers(body, { sid: "text", client_secret: "text", token: "text" });
    const { sid, client_secret: secret, token } = body;
    if (!threepids.submit(String(sid), String(secret), String(token))) {
      throw new MatrixError(400, "M_TOKEN_INCORRECT", "Token is incorrect");
    }
    ctx.body = { success: true };
  });

  /** @param {import("koa").Context} ctx */
  const confirm = (ctx) => {
    const { sid, client_secret: secret, token } = ctx.query;
    const validation = threepids.submit(String(sid), String(secret), String(token));
    if (validation?.nextLink) {
      const to = new URL(validation.nextLink);
      to.searchParams.set("sid", validation.sid);
      ctx.redirect(to.href);
      return;
    }
    if (!validation) ctx.status = 400;
    sendPage(ctx, homeserver, {
      title: validation ? "Your address is confirmed" : "This link is not good",
      text: validation ? "Go back to the page that you came from." : "Ask for another message.",
    });
  };

  // Opening the link is enough, as it is at Synapse: but not to set a password anew. Mail programs open
  // links on their own, so there a user has to press the button.
  router.get(LINK_PATHS["register"], confirm);
  router.get(LINK_PATHS["account/3pid"], confirm);
  router.get(LINK_PATHS["account/password"], (ctx) => {
    sendPage(ctx, homeserver, {
      title: "Confirm that you want another password",
      form: "Confirm",
      action: ctx.url,
    });
  });
  router.post(LINK_PATHS["account/password"], confirm);
}

/** @type {(secret: string) => void} throws a MatrixError; stricter than Synapse, as the specification is */
function assertSecret(secret) {
  if (secret.length > 255) throw new MatrixError(400, "M_BAD_JSON", "client_secret is too long");
  if (!/^[0-9a-zA-Z.=_-]+$/.test(secret)) {
    throw new MatrixError(400, "M_INVALID_PARAM", "Invalid client_secret parameter");
  }
}
