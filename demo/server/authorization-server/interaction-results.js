// @ts-check

/**
 * Ends the interaction with a signed-in user.
 *
 * @param {any} provider
 * @param {any} ctx
 * @param {import("../accounts.js").Account} account
 */
export async function signIn(provider, ctx, account) {
  const { interaction } = ctx.state;
  if (interaction.session && interaction.session.accountId !== account.id) {
    await startNewBrowserSession(provider, ctx);
  }
  // Any signed-in user fulfills `create`: the user may sign in with an existing account instead.
  const result = { login: { accountId: account.id }, create: {} };
  await resume(provider, ctx, result, { mergeWithLastSubmission: false });
}

/**
 * Ends the interaction with a grant of everything that was requested.
 *
 * @param {any} provider
 * @param {any} ctx
 */
export async function allow(provider, ctx) {
  const { params, prompt, session } = ctx.state.interaction;
  const grant = new provider.Grant({
    accountId: session.accountId,
    clientId: params.client_id,
  });
  if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope);
  if (prompt.details.missingOIDCClaims) grant.addOIDCClaims(prompt.details.missingOIDCClaims);
  await resume(provider, ctx, { consent: { grantId: await grant.save() } });
}

/**
 * Ends the interaction without a grant, because the user declined.
 *
 * @param {any} provider
 * @param {any} ctx
 */
export async function cancel(provider, ctx) {
  const result = { error: "access_denied", error_description: "The sign-in was cancelled" };
  await resume(provider, ctx, result, { mergeWithLastSubmission: false });
}

/**
 * @param {any} provider
 * @param {any} ctx
 * @param {object} result
 * @param {{ mergeWithLastSubmission?: boolean }} [options]
 */
async function resume(provider, ctx, result, options) {
  const address = await provider.interactionResult(ctx.req, ctx.res, result, options);
  ctx.status = 303;
  ctx.redirect(address);
}

/**
 * Removes this server's session from this browser.
 *
 * If the user of a session changes, the provider would end the session and revoke its apps' tokens. But a
 * user who signs in to a second app with a second account wants to keep the first one.
 *
 * @param {any} provider
 * @param {any} ctx
 */
async function startNewBrowserSession(provider, ctx) {
  const { interaction } = ctx.state;
  interaction.session = undefined;
  await interaction.persist();
  ctx.cookies.set(provider.cookieName("session"), null, { signed: true });
}
