// @ts-check
import Router from "@koa/router";
import { bodyParser } from "@koa/bodyparser";
import { AccountError } from "../accounts.js";
import { describeApplication, describeScope, localpartFrom } from "./interaction-data.js";
import { allow, cancel, signIn } from "./interaction-results.js";
import { accountOfForm, formOf } from "./sign-in-form.js";

/** @import { Account, Accounts } from "../accounts.js" */
/** @import { FieldError } from "./sign-in-form.js" */
/** @import { Views } from "./views.js" */

/** @type {Record<import("../accounts.js").AccountErrorCode, FieldError>} */
const CREATION_ERRORS = {
  taken: { field: "username", text: "This name is taken. Choose another." },
  invalid_name: {
    field: "username",
    text: "A name has small letters a to z, digits, and . _ = - / + and does not start with _.",
  },
  weak_password: { field: "password", text: "Use 8 characters or more (72 at most)." },
};

/**
 * The pages between the authorization request and its response: sign in, create an account, consent.
 *
 * @param {object} options
 * @param {any} options.provider
 * @param {Accounts} options.accounts
 * @param {Views} options.views
 * @param {() => string} options.serverName
 * @param {string | undefined} options.autoApprove
 * @returns {Router}
 */
export function interactionRoutes({ provider, accounts, views, serverName, autoApprove }) {
  const router = new Router({ prefix: "/interaction/:uid" });

  router.use(async (ctx, next) => {
    // Throws if the cookie of this interaction is missing or expired.
    const interaction = await provider.interactionDetails(ctx.req, ctx.res);
    if (interaction.uid !== ctx.params["uid"]) ctx.throw(404);
    const client = await provider.Client.find(interaction.params.client_id);
    ctx.state = {
      interaction,
      application: describeApplication(client, interaction.params.redirect_uri),
    };
    await next();
  });

  router.get("/", async (ctx) => {
    const { interaction } = ctx.state;
    const { name } = interaction.prompt;
    const automatic = autoApprove ? accounts.findByLocalpart(autoApprove) : undefined;
    if (name === "consent") {
      return automatic ? allow(provider, ctx) : showConsent(ctx);
    }
    if (automatic) return signIn(provider, ctx, automatic);
    return name === "create" ? showCreation(ctx) : showSignIn(ctx);
  });

  // Every page of the interaction can lead to both: to create an account, to sign in after all, or to
  // continue as another user.
  router.get("/sign-in", (ctx) => showSignIn(ctx));
  router.get("/create", (ctx) => showCreation(ctx));

  router.post("/sign-in", bodyParser(), async (ctx) => {
    const form = formOf(ctx);
    if (form["action"] === "cancel") return cancel(provider, ctx);

    const { account, username, error } = accountOfForm(accounts, form);
    return account ? signIn(provider, ctx, account) : showSignIn(ctx, username, error);
  });

  router.post("/create", bodyParser(), async (ctx) => {
    const form = formOf(ctx);
    if (form["action"] === "cancel") return cancel(provider, ctx);

    const wanted = {
      localpart: form["username"]?.trim() ?? "",
      displayName: form["display_name"] ?? "",
      password: form["password"] ?? "",
    };
    /** @type {Account} */
    let account;
    try {
      account = accounts.create(wanted);
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      return showCreation(ctx, wanted, CREATION_ERRORS[error.code]);
    }
    return signIn(provider, ctx, account);
  });

  router.post("/consent", bodyParser(), async (ctx) => {
    return formOf(ctx)["action"] === "allow" ? allow(provider, ctx) : cancel(provider, ctx);
  });

  /**
   * @param {any} ctx
   * @param {string} [username]
   * @param {FieldError} [error]
   */
  function showSignIn(ctx, username, error) {
    const { application, interaction } = ctx.state;
    show(ctx, "sign-in", {
      application,
      username: username ?? localpartFrom(interaction.params.login_hint),
      error,
      demoAccounts: accounts.list().filter(({ demo }) => demo),
    });
  }

  /**
   * @param {any} ctx
   * @param {{ localpart?: string, displayName?: string }} [wanted]
   * @param {FieldError} [error]
   */
  function showCreation(ctx, wanted = {}, error) {
    show(ctx, "create-account", { application: ctx.state.application, wanted, error });
  }

  /** @param {any} ctx */
  function showConsent(ctx) {
    const { application, interaction } = ctx.state;
    const account = accounts.find(interaction.session.accountId);
    show(ctx, "consent", {
      application,
      account,
      userId: `@${account?.localpart}:${serverName()}`,
      requested: describeScope(interaction.params.scope),
    });
  }

  /**
   * @param {any} ctx
   * @param {string} view
   * @param {{ error?: FieldError | undefined } & Record<string, unknown>} data
   */
  function show(ctx, view, data) {
    const { interaction } = ctx.state;
    views.show(
      ctx,
      view,
      { ...data, base: `${views.issuerPath}/interaction/${interaction.uid}` },
      { returnsTo: interaction.params.redirect_uri },
    );
  }

  return router;
}
