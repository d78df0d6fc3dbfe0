// @ts-check
import { forbidden, MatrixError } from "../errors.js";

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
 * What is known where a stage is judged.
 *
 * @typedef {object} Try
 * @property {Record<string, unknown>} auth what was submitted
 * @property {import("./sessions.js").Session} session
 * @property {string | null} userId who makes the request, if anybody is signed in
 */

/** @typedef {(tried: Try) => void} Judge returns, or resolves, where the stage is completed */

/** @type {(value: unknown) => string} */
const text = (value) => (typeof value === "string" ? value : "");

/**
 * How each stage is judged that can be submitted; others are completed on their pages.
 *
 * @param {import("../index.js").Homeserver} homeserver
 * @returns {Record<string, Judge>}
 */
export function createJudges({ accounts, serverName, threepids, uia: settings }) {
  /** @type {(tried: Try) => Promise<void>} */
  const password = async ({ auth, userId }) => {
    const { identifier, password: given } = auth;
    const user = text(Object(identifier)["user"]);
    const localpart = user.replace(/^@/, "").replace(`:${serverName}`, "");
    const account = await accounts.authenticate(localpart, text(given));
    if (!account) throw new StageError("M_FORBIDDEN", "Invalid username or password");
    if (userId && userId !== `@${localpart}:${serverName}`) {
      // No 401: as Synapse answers the right password of somebody else.
      throw forbidden("Invalid auth");
    }
  };

  /** @type {Judge} */
  const registrationToken = ({ auth }) => {
    if (typeof auth["token"] !== "string") {
      throw new StageError("M_MISSING_PARAM", "Registration token must be provided");
    }
    if (!settings.registrationTokens.includes(auth["token"])) {
      throw new StageError("M_UNAUTHORIZED", "Invalid registration token");
    }
  };

  /** @type {Judge} */
  const captcha = ({ auth }) => {
    if (!auth["response"]) throw new StageError("M_CAPTCHA_NEEDED", "Captcha response is required");
    // Nobody can be asked here: the demo's captcha is on its page.
    throw new StageError("M_UNAUTHORIZED", "Captcha is wrong");
  };

  /** @type {(medium: import("../threepids.js").Medium) => Judge} */
  const threepid =
    (medium) =>
    ({ auth, session }) => {
      const { sid, client_secret: secret } = Object(auth["threepid_creds"]);
      if (!sid) throw new StageError("M_MISSING_PARAM", "Missing threepid_creds");
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

/** @param {string} type */
export const unknownStage = (type) =>
  new MatrixError(400, "M_INVALID_PARAM", `Unknown login stage type: ${type}`);
