// @ts-check

/**
 * A message that a real homeserver would send.
 *
 * @typedef {object} Message
 * @property {"email" | "msisdn"} medium
 * @property {string} address
 * @property {string} text
 * @property {string} [link]
 * @property {string} [code]
 * @property {number} sentAt milliseconds since the epoch
 */

/** @typedef {Message[]} Outbox */
