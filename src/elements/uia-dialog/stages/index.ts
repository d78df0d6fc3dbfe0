import { AuthType } from "../../../core/uia/auth-type.js";
import { email } from "./email.js";
import { fallback } from "./fallback.js";
import { FetchedStage } from "./fetched-stage.js";
import { password } from "./password.js";
import { registrationToken } from "./registration-token.js";
import type { Stage } from "./stage-view.js";
import { terms } from "./terms.js";

const captcha = new FetchedStage(async () => (await import("./captcha.js")).captcha);
const phone = new FetchedStage(async () => (await import("./phone.js")).phone);

const STAGES: ReadonlyMap<string, Stage> = new Map([
  [AuthType.Password, password],
  [AuthType.Recaptcha, captcha.view],
  [AuthType.Terms, terms],
  [AuthType.Email, email],
  [AuthType.Msisdn, phone.view],
  [AuthType.Sso, fallback],
  [AuthType.SsoUnstable, fallback],
  [AuthType.RegistrationToken, registrationToken],
  [AuthType.UnstableRegistrationToken, registrationToken],
  [AuthType.OAuth, fallback],
  [AuthType.CrossSigningReset, fallback],
]);

/** Fetches the views of rare stages. */
export function fetchStages(stages: readonly string[]): void {
  if (stages.includes(AuthType.Recaptcha)) void captcha.fetch();
  if (stages.includes(AuthType.Msisdn)) void phone.fetch();
}

/** Whether a stage is completed on a page of somebody else's. */
export const needsPage = (type: string, supported: readonly string[] | undefined): boolean =>
  stageOf(type, supported) === fallback;

/** The view of a stage. One that the page does not want here, or nobody knows, is the homeserver's. */
export function stageOf(type: string, supported: readonly string[] | undefined): Stage {
  return (!supported || supported.includes(type) ? STAGES.get(type) : undefined) ?? fallback;
}

/**
 * The stages that need no page of the homeserver's: the dialog's own, and those that its page brings.
 * Synapse offers a password and SSO in an order that changes from start to start, so that it cannot choose.
 */
export const servedStages = (dialog: Element): readonly string[] => [
  ...[...STAGES].flatMap(([type, stage]) => (stage === fallback ? [] : type)),
  ...Array.from(dialog.children, ({ slot }) => slot),
];

export const isToken = (stage: string): boolean =>
  stage === AuthType.RegistrationToken || stage === AuthType.UnstableRegistrationToken;
