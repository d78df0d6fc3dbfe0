/**
 * The stage types that the library knows.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#authentication-types
 */
export const AuthType = {
  Password: "m.login.password",
  Recaptcha: "m.login.recaptcha",
  Terms: "m.login.terms",
  Email: "m.login.email.identity",
  Msisdn: "m.login.msisdn",
  Sso: "m.login.sso",
  SsoUnstable: "org.matrix.login.sso",
  Dummy: "m.login.dummy",
  RegistrationToken: "m.login.registration_token",
  UnstableRegistrationToken: "org.matrix.msc3231.login.registration_token",
  /** Approval on the pages of the authorization server (v1.17, MSC4312). */
  OAuth: "m.oauth",
  /** The earlier name of {@link AuthType.OAuth}. */
  CrossSigningReset: "org.matrix.cross_signing_reset",
} as const;

export type AuthType = (typeof AuthType)[keyof typeof AuthType];

export const isOAuth = (stage: string): boolean =>
  stage === AuthType.OAuth || stage === AuthType.CrossSigningReset;
