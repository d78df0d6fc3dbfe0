// @ts-check
import { internalError, MatrixError } from "../errors.js";
import { authenticateByPassword } from "../identifier.js";

/**
 * A stage that is not completed: the 401 then says why.
 */
export class StageError extends Error {
  /**
   * @param {string} errcode
   * @param {string} error
   */
  constructor(errcode, error) {
    super(error);
    this.name = "StageError";
    this.errcode = errcode;
  }
}

/**
 * What is known when a stage is checked.
 *
 * @typedef {object} Attempt
 * @property {Record<string, unknown>} auth what was submitted
 * @property {import("./sessions.js").Session} session
 */

/** @typedef {(attempt: Attempt) => void} StageValidator returns or resolves if the stage is completed */

/** @type {(value: unknown) => string} */
const text = (value) => (typeof value === "string" ? value : "");

/**
 * Validates each stage that can be submitted; others are completed on their pages.
 *
 * @param {import("../index.js").Homeserver} homeserver
 * @returns {Record<string, StageValidator>}
 */
export function createStageValidators(homeserver) {
  const { threepids, uia: settings } = homeserver;

  /** @type {(attempt: Attempt) => Promise<void>} */
  const password = async ({ auth, session }) => {
    const account = await authenticateByPassword(auth, homeserver);
    if (!account) throw new StageError("M_FORBIDDEN", "Invalid username or password");
    session.found["localpart"] = account.localpart;
  };

  /** @type {StageValidator} */
  const registrationToken = ({ auth }) => {
    if (!auth["token"]) throw new StageError("M_MISSING_PARAM", "Missing registration token");
    if (typeof auth["token"] !== "string") {
      throw new StageError("M_INVALID_PARAM", "Registration token must be a string");
    }
    if (!settings.registrationTokens.includes(auth["token"])) {
      throw new StageError("M_UNAUTHORIZED", "Invalid registration token");
    }
  };

  /** @type {StageValidator} */
  const captcha = ({ auth }) => {
    if (!auth["response"]) throw new StageError("M_CAPTCHA_NEEDED", "Captcha response is required");
    if (!settings.captchaResponses.includes(text(auth["response"]))) {
      throw new StageError("M_UNAUTHORIZED", "Captcha authentication failed");
    }
  };

  /** @type {(medium: import("../threepids.js").Medium) => StageValidator} */
  const threepid =
    (medium) =>
    ({ auth, session }) => {
      const creds = auth["threepid_creds"];
      if (!creds) throw new StageError("M_MISSING_PARAM", "Missing threepid_creds");
      const { sid, client_secret: secret } = Object(creds);
      // What Synapse makes of half a proof.
      if (!sid || !secret) throw internalError();
      const address = threepids.verified(medium, text(sid), text(secret));
      if (address === undefined) {
        throw new StageError("M_UNAUTHORIZED", "Unable to get validated threepid");
      }
      session.found[medium] = address;
    };

  return {
    "m.login.password": password,
    "m.login.registration_token": registrationToken,
    "org.matrix.msc3231.login.registration_token": registrationToken,
    "m.login.recaptcha": captcha,
    "m.login.terms": () => undefined,
    "m.login.dummy": () => undefined,
    "m.login.email.identity": threepid("email"),
    "m.login.msisdn": threepid("msisdn"),
  };
}

/**
 * A stage that is not known is taken for a way of signing in, as by Synapse.
 *
 * @param {Record<string, unknown>} auth
 */
export const unknownStage = ({ type, identifier }) =>
  identifier
    ? new MatrixError(400, "M_UNKNOWN", `Unknown login type ${String(type)}`)
    : new MatrixError(400, "M_INVALID_PARAM", "Invalid login submission");
