// @ts-check
import { text } from "node:stream/consumers";
import { MatrixError } from "./errors.js";
import { escape, sendPage } from "./uia/page.js";
import { POLICIES, stageParams } from "./uia/params.js";

/** Stages that have no page, as in Synapse. */
const WITHOUT = ["m.login.password", "m.login.email.identity", "m.login.msisdn", "m.login.dummy"];

/**
 * The pages on which a stage is completed by a client that has no view for it.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#fallback
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addFallbackRoutes(router, homeserver) {
  const { accounts, sessions, uia } = homeserver;
  const path = "/_matrix/client/v3/auth/:type/fallback/web";

  /** @param {import("koa").ParameterizedContext<any, any>} ctx */
  const opened = (ctx) => {
    const type = String(ctx["params"]["type"]);
    const session = sessions.find(String(ctx.query["session"]));
    if (WITHOUT.includes(type)) throw new MatrixError(404, "M_UNKNOWN", "Unknown auth stage type");
    if (!session) throw new MatrixError(400, "M_UNKNOWN", "Unknown session ID");
    return { type, session };
  };

  /** @type {(type: string, error?: string) => import("./uia/page.js").Page} */
  const pageOf = (type, error) => ({
    ...PAGES(homeserver)[type],
    title: titleOf(type),
    error: error ?? "",
    form: "Continue",
  });

  router.get(path, (ctx) => {
    const { type } = opened(ctx);
    sendPage(ctx, homeserver, { ...pageOf(type), action: ctx.url });
  });

  router.post(path, async (ctx) => {
    const { type, session } = opened(ctx);
    const values = new URLSearchParams(await text(ctx.req));
    const problem = await problemOf(type, values);
    if (problem) {
      sendPage(ctx, homeserver, { ...pageOf(type, problem), action: ctx.url });
      return;
    }
    session.completed.add(type);
    sendPage(ctx, homeserver, { title: "Done", text: "You may close this window.", done: true });
  });

  /** @type {(type: string, values: URLSearchParams) => Promise<string | undefined>} */
  const problemOf = async (type, values) => {
    if (/registration_token$/.test(type)) {
      const good = uia.registrationTokens.includes(values.get("token") ?? "");
      return good ? undefined : "Invalid registration token.";
    }
    if (type === "m.login.sso") {
      const [user, password] = [values.get("user") ?? "", values.get("password") ?? ""];
      return (await accounts.authenticate(user, password)) ? undefined : "Not right.";
    }
    // To press the button is to agree, as on Synapse's page.
    if (type === "m.login.terms") return undefined;
    const answer = values.get("g-recaptcha-response") ?? "";
    if (type === "m.login.recaptcha" && uia.captchaResponses.includes(answer)) return undefined;
    return values.has("agree") ? undefined : "Select the checkbox first.";
  };

  router.get("/_demo/policy/:id/:language", (ctx) => {
    const { id = "", language = "" } = ctx["params"];
    const names = /** @type {Record<string, Record<string, string>>} */ (POLICIES)[id];
    if (!names?.[language]) throw new MatrixError(404, "M_NOT_FOUND", "No such policy");
    const text = "This is a demo. It forgets everything when it stops.";
    sendPage(ctx, homeserver, { title: names[language], text });
  });
}

/** @type {(type: string) => string} */
const titleOf = (type) =>
  ({
    "m.login.recaptcha": "Captcha",
    "m.login.terms": "Terms",
    "m.login.sso": "Sign in again",
    "m.login.registration_token": "Registration token",
  })[type] ?? "One more step";

/** @type {(homeserver: import("./index.js").Homeserver) => Record<string, { fields: string }>} */
const PAGES = (homeserver) => {
  /** @type {(label: string) => { fields: string }} */
  const box = (label) => ({
    fields: `<label><input type="checkbox" name="agree" required /> ${label}</label>`,
  });
  const { policies } =
    /** @type {{ policies: Record<string, { en: { name: string, url: string } }> }} */ (
      stageParams(homeserver, ["m.login.terms"])["m.login.terms"]
    );
  const links = Object.values(policies).map(
    ({ en }) => `<a href="${escape(en.url)}" target="_blank" rel="noopener">${escape(en.name)}</a>`,
  );
  const token = { fields: '<label>Token <input name="token" required /></label>' };
  return new Proxy(
    {
      // The real one cannot be loaded without a network.
      "m.login.recaptcha": box("I am not a robot"),
      "m.login.terms": { fields: `<p>By continuing you accept ${links.join(" and ")}.</p>` },
      "m.login.registration_token": token,
      "org.matrix.msc3231.login.registration_token": token,
      "m.login.sso": {
        fields:
          '<label>Username <input name="user" autocomplete="username" required /></label>' +
          '<label>Password <input name="password" type="password" autocomplete="current-password" required /></label>',
      },
    },
    { get: (pages, type) => Reflect.get(pages, type) ?? box("I have completed this step") },
  );
};
