// @ts-check
import { randomBytes, randomInt } from "node:crypto";
import { parsePhoneNumberFromString } from "libphonenumber-js";
import { MatrixError } from "./errors.js";

/** @typedef {"email" | "msisdn"} Medium */

/**
 * The validation of an email address or a phone number.
 *
 * @typedef {object} Validation
 * @property {Medium} medium
 * @property {string} address
 * @property {string} sid
 * @property {string} secret
 * @property {string} token
 * @property {number} attempt
 * @property {boolean} verified
 * @property {string} linkPath where the link of a mail leads
 * @property {string} [nextLink] where the client wants it to lead on to
 */

/**
 * Addresses that belong to accounts, and those that are being verified.
 *
 * @typedef {object} ThreePids
 * @property {(medium: Medium, address: string) => string | undefined} ownerOf a user id
 * @property {(userId: string) => { medium: Medium, address: string, validated_at: number, added_at: number }[]} list
 * @property {(userId: string, medium: Medium, address: string) => void} add
 * @property {(userId: string, medium: Medium, address: string) => void} remove
 * @property {(request: Pick<Validation, "medium" | "address" | "secret" | "attempt" | "linkPath" | "nextLink">) => Validation} request
 * @property {(sid: string, secret: string, token: string) => Validation | undefined} submit
 * @property {(medium: Medium, sid: string, secret: string) => string | undefined} verified
 */

/**
 * @param {object} options
 * @param {import("./outbox.js").Outbox} options.outbox
 * @param {() => string} options.baseUrl
 * @returns {ThreePids}
 */
export function createThreePids({ outbox, baseUrl }) {
  /** @type {Map<string, { userId: string, medium: Medium, address: string, at: number }>} */
  const owned = new Map();
  /** @type {Map<string, Validation>} */
  const validations = new Map();
  /** @type {(medium: Medium, address: string) => string} */
  const key = (medium, address) => `${medium} ${address.toLowerCase()}`;

  /** @param {Validation} validation */
  const send = ({ medium, address, sid, secret, token, linkPath }) => {
    const sentAt = Date.now();
    if (medium === "msisdn") {
      outbox.push({ medium, address, text: `Your code is ${token}`, code: token, sentAt });
      return;
    }
    const query = new URLSearchParams({ token, client_secret: secret, sid });
    const link = `${baseUrl()}${linkPath}?${query.toString()}`;
    outbox.push({ medium, address, text: "Follow the link to confirm your address", link, sentAt });
  };

  return {
    ownerOf: (medium, address) => owned.get(key(medium, address))?.userId,

    list: (userId) =>
      [...owned.values()]
        .filter((each) => each.userId === userId)
        .map(({ medium, address, at }) => ({ medium, address, validated_at: at, added_at: at })),

    add: (userId, medium, address) =>
      void owned.set(key(medium, address), { userId, medium, address, at: Date.now() }),

    remove(userId, medium, address) {
      if (owned.get(key(medium, address))?.userId === userId) owned.delete(key(medium, address));
    },

    request({ medium, address, secret, attempt, linkPath, nextLink }) {
      const known = [...validations.values()].find(
        (each) => each.medium === medium && each.address === address && each.secret === secret,
      );
      // The same attempt again is a client that did not receive the response.
      if (known && attempt <= known.attempt) return known;
      const validation = known ?? {
        medium,
        address,
        secret,
        sid: randomBytes(9).toString("base64url"),
        token:
          medium === "email" ? randomBytes(18).toString("base64url") : String(randomInt(1e5, 1e6)),
        attempt,
        verified: false,
        linkPath,
      };
      Object.assign(validation, { attempt, linkPath, nextLink });
      validations.set(validation.sid, validation);
      send(validation);
      return validation;
    },

    submit(sid, secret, token) {
      const validation = validations.get(sid);
      if (validation?.secret !== secret || validation.token !== token) return undefined;
      validation.verified = true;
      return validation;
    },

    verified(medium, sid, secret) {
      const validation = validations.get(sid);
      const good =
        validation?.verified && validation.medium === medium && validation.secret === secret;
      return good ? validation.address : undefined;
    },
  };
}

const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;

/**
 * The address that a request for a message names.
 *
 * @param {Medium} medium
 * @param {Record<string, unknown>} body
 * @returns {string} throws a MatrixError
 */
export function readAddress(medium, body) {
  const { email, country, phone_number: number } = body;
  if (medium === "email") {
    if (typeof email !== "string" || !EMAIL.test(email)) {
      throw new MatrixError(400, "M_BAD_JSON", "Unable to parse email address");
    }
    return email.toLowerCase();
  }
  const parsed = parsePhoneNumberFromString(
    String(number),
    /** @type {import("libphonenumber-js").CountryCode} */ (String(country).toUpperCase()),
  );
  if (!parsed?.isPossible()) {
    throw new MatrixError(400, "M_INVALID_PARAM", "Unable to parse phone number");
  }
  return parsed.number.replace("+", "");
}
