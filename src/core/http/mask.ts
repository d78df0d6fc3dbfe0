/** Replaces the secrets in a text, or in all texts and names of a value from JSON. */
export type Mask = <T>(value: T) => T;

/** Stands for a secret, or for a whole text that contains one. */
export const MASK = "…";

/** The most frequent texts that code compares. An error that has no others needs no mask. */
export const FREQUENT_TEXT =
  /^(?:M_(?:FORBIDDEN|UNKNOWN(?:_TOKEN)?|UNRECOGNIZED|NOT_FOUND|LIMIT_EXCEEDED)|m\.login\.(?:password|recaptcha|terms|email\.identity|msisdn|sso|dummy)|authorization_pending|slow_down|invalid_grant)$/;

/** The same for the names of members. */
export const FREQUENT_MEMBER =
  /^(?:errcode|error|flows|stages|completed|params|session|soft_logout|retry_after_ms)$/;
