import { AuthType } from "../../../core/uia/auth-type.js";
import { captcha } from "./captcha.js";
import { email } from "./email.js";
import { fallback } from "./fallback.js";
import { password } from "./password.js";
import { phone } from "./phone.js";
import { registrationToken } from "./registration-token.js";
import type { Stage } from "./stage-view.js";
import { terms } from "./terms.js";

const STAGES: ReadonlyMap<string, Stage> = new Map([
  [AuthType.Password, password],
  [AuthType.Recaptcha, captcha],
  [AuthType.Terms, terms],
  [AuthType.Email, email],
  [AuthType.Msisdn, phone],
  [AuthType.Sso, fallback],
  [AuthType.SsoUnstable, fallback],
  [AuthType.RegistrationToken, registrationToken],
  [AuthType.UnstableRegistrationToken, registrationToken],
  [AuthType.OAuth, fallback],
  [AuthType.CrossSigningReset, fallback],
]);

/** The view of a stage. One that the page does not want here, or nobody knows, is the homeserver's. */
export function stageOf(type: string, supported: readonly string[] | undefined): Stage {
  return (!supported || supported.includes(type) ? STAGES.get(type) : undefined) ?? fallback;
}

/**
 * The stages that need no page of the homeserver's: the dialog's own, and those that its page brings.
 * Synapse offers a password and SSO in an order that changes from start to start, so that it cannot choose.
 */
export const servedStages = (dialog: Element): readonly string[] => [
  AuthType.Dummy,
  ...[...STAGES].flatMap(([type, stage]) => (stage === fallback ? [] : type)),
  ...Array.from(dialog.children, ({ slot }) => slot),
];

export const isOAuth = (stage: string): boolean =>
  stage === AuthType.OAuth || stage === AuthType.CrossSigningReset;

export const isToken = (stage: string): boolean =>
  stage === AuthType.RegistrationToken || stage === AuthType.UnstableRegistrationToken;
