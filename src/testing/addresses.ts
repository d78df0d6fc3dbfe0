import { type Json, refuse, textOf } from "./exchange.js";
import type { TestMessage } from "./options.js";

export type Medium = TestMessage["medium"];

/** The members of an account. */
export const ADDRESSES = { email: "emails", msisdn: "phones" } as const;

export const isMedium = (medium: unknown): medium is Medium =>
  medium === "email" || medium === "msisdn";

const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;

/** A number of another country is kept as it was typed. */
const CALLING_CODES: Readonly<Record<string, string>> = {
  ...{ AT: "43", AU: "61", BE: "32", BR: "55", CA: "1", CH: "41", CN: "86", CZ: "420", DE: "49" },
  ...{ DK: "45", ES: "34", FI: "358", FR: "33", GB: "44", IE: "353", IN: "91", IT: "39", JP: "81" },
  ...{ KR: "82", MX: "52", NL: "31", NO: "47", NZ: "64", PL: "48", PT: "351", RU: "7", SE: "46" },
  ...{ TR: "90", UA: "380", US: "1", ZA: "27" },
};

/** The address that a request names, in the form in which accounts keep it. */
export function readAddress(medium: Medium, body: Json): string {
  if (medium === "email") {
    const email = textOf(body["email"]);
    if (!EMAIL.test(email)) throw refuse(400, "M_BAD_JSON", "Unable to parse email address");
    return email.toLowerCase();
  }
  const number = textOf(body["phone_number"] ?? body["phone"]).trim();
  const digits = number.replaceAll(/\D/g, "");
  if (digits.length < 5) throw refuse(400, "M_INVALID_PARAM", "Unable to parse phone number");
  if (number.startsWith("+")) return digits;
  const code = CALLING_CODES[textOf(body["country"]).toUpperCase()];
  return code === undefined ? digits : code + digits.replace(/^0/, "");
}
