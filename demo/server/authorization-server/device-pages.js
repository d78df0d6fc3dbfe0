// @ts-check
import { describeApplication, describeScope } from "./interaction-data.js";

/** @import { Views } from "./views.js" */

/**
 * The pages of the device authorization grant (RFC 8628), where a user enters the code that
 * another screen shows: the provider's option `features.deviceFlow`.
 *
 * @param {Views} views
 */
export function deviceFlow(views) {
  return {
    enabled: true,

    /**
     * @param {any} ctx
     * @param {string} _form the provider's own, which has an inline handler that the policy forbids
     * @param {unknown} _out
     * @param {(Error & { userCode?: string }) | undefined} error
     */
    async userCodeInputSource(ctx, _form, _out, error) {
      views.show(ctx, "device-code", {
        action: ctx.oidc.urlFor("code_verification"),
        xsrf: ctx.oidc.session.state.secret,
        userCode: error?.userCode ?? "",
        error: error && { field: "user_code", text: explain(error) },
      });
    },

    /**
     * @param {any} ctx
     * @param {string} _form
     * @param {any} client
     * @param {unknown} _deviceInfo
     * @param {string} userCode
     */
    async userCodeConfirmSource(ctx, _form, client, _deviceInfo, userCode) {
      views.show(ctx, "device-confirm", {
        action: ctx.oidc.urlFor("code_verification"),
        xsrf: ctx.oidc.session.state.secret,
        userCode,
        application: describeApplication(client, undefined),
        requested: describeScope(ctx.oidc.deviceCode?.params?.scope),
      });
    },

    /** @param {any} ctx */
    async successSource(ctx) {
      views.show(ctx, "notice", {
        title: "You’re signed in",
        text: "Your other device continues automatically. You can close this page.",
      });
    },
  };
}

/** @param {Error} error */
function explain(error) {
  if (error.name === "AbortedError") return "The sign-in was cancelled. You can close this page.";
  if (error.name === "ExpiredError") return "This code has expired. Get a new one on your device.";
  if (error.name === "AlreadyUsedError") return "This code has been used. Get a new one.";
  if (error.name === "NoCodeError") return "Enter the code that your device shows.";
  return "This code doesn’t exist. Compare it with the code on your device.";
}
