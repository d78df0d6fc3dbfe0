// @ts-check
import { readObject } from "./body.js";
import { escape, sendPage } from "./uia/page.js";

/**
 * What the demo's playground reads and changes. Not part of Matrix.
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addControlRoutes(router, homeserver) {
  const { outbox, sessions, uia } = homeserver;

  router.get("/_demo/uia", (ctx) => {
    ctx.body = uia;
  });

  router.put("/_demo/uia", async (ctx) => {
    const { flows, ...others } = await readObject(ctx);
    Object.assign(uia, others);
    Object.assign(uia.flows, flows);
    ctx.body = uia;
  });

  router.post("/_demo/expire", (ctx) => {
    sessions.forget();
    ctx.body = {};
  });

  router.get("/_demo/outbox", (ctx) => {
    ctx.body = outbox;
  });

  router.get("/outbox", (ctx) => {
    sendPage(ctx, homeserver, {
      title: "Outbox",
      text: outbox.length === 0 ? "Nothing was sent yet." : "The last message is the first.",
      messages: [...outbox].reverse().map(messageMarkup).join(""),
      refresh: 3,
    });
  });
}

/** @type {(message: import("./outbox.js").Message) => string} */
const messageMarkup = ({ address, text, link, sentAt }) => `<article>
      <h2>To ${escape(address)}</h2>
      <p>${escape(text)}${link ? `: <a href="${escape(link)}" target="_blank" rel="noopener">confirm</a>` : ""}</p>
      <p><time>${new Date(sentAt).toLocaleTimeString("en")}</time></p>
    </article>`;
