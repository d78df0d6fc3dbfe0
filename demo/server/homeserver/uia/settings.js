// @ts-check

const TOKEN = "m.login.registration_token";
const CAPTCHA = "m.login.recaptcha";
const TERMS = "m.login.terms";

/**
 * The stages that the homeserver requires, and how its pages behave. Read anew for every request, so that a test,
 * or a user in the demo, may change it at any time.
 *
 * @typedef {object} UiaSettings
 * @property {{ register: string[][], account: string[][] }} flows
 *   to make an account, and to do what is protected with one
 * @property {string[]} registrationTokens
 * @property {string[]} captchaResponses responses that the captcha accepts; its page has a checkbox
 * @property {number} expiryMs how long a session lives, in milliseconds
 * @property {"same-origin" | null} coop the `Cross-Origin-Opener-Policy` of the fallback pages
 * @property {boolean} silent whether fallback pages report nothing when they are done
 * @property {boolean} framing whether they may be framed
 * @property {{ allowed: number, windowMs: number } | null} rateLimit
 *   how often in a time the stages of a session may be tried, a name signed in, an address written to,
 *   and an account made
 * @property {boolean} typedOAuthOnly
 *   whether an approved `m.oauth` is only taken with its type, as some homeservers have it
 */

/**
 * @param {Partial<UiaSettings>} [given]
 * @returns {UiaSettings}
 */
export const uiaSettings = (given = {}) => ({
  flows: {
    register: [
      [TOKEN, CAPTCHA, TERMS, "m.login.dummy"],
      [TOKEN, CAPTCHA, TERMS, "m.login.email.identity", "m.login.dummy"],
    ],
    account: [["m.login.password"]],
  },
  registrationTokens: ["lantern"],
  // No service here can say whether a captcha was solved.
  captchaResponses: [],
  // Synapse's.
  expiryMs: 48 * 60 * 60 * 1000,
  coop: null,
  silent: false,
  framing: false,
  rateLimit: null,
  typedOAuthOnly: false,
  ...given,
});
