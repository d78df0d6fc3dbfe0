/** Replaces the secrets in a text, or in all texts and names of a value from JSON. */
export type Mask = <T>(value: T) => T;

/** Stands for a secret, or for a whole text that contains one. */
export const MASK = "…";

/**
 * What code compares, not what a user reads: it stays even if a password is such a word. Otherwise
 * the password "password" would turn the stage `m.login.password` into an unknown one.
 */
export const PROTOCOL_TEXT =
  /^(?:M_[A-Z_]+|m\.oauth|(?:m|org\.matrix)\.(?:login\.)?(?:password|recaptcha|terms|email\.identity|msisdn|sso|dummy|(?:msc3231\.login\.)?registration_token|cross_signing_reset)|(?:invalid|unsupported)_(?:client(?:_metadata)?|grant(?:_type)?|redirect_uri|request|scope|token)|unauthorized_client|access_denied|authorization_pending|slow_down|(?:expired_)?token|server_error|temporarily_unavailable)$/;
