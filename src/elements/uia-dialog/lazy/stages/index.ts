import { AuthType } from "../../../../core/uia/options.js";
import { lazyPart, type Load } from "../../../../ui/lazy.js";
import type { LoadCaptcha } from "../host.js";
import type * as PhonePart from "../phone/phone.js";
import { password } from "./password.js";
import { fallback, lazyStage, type Stage } from "./stage-view.js";

const loadRegistration = lazyPart(() => import("./registration-stages.js"));

const lazyCaptcha = lazyStage(async () => (await loadRegistration()).captcha);
const lazyToken = lazyStage(async () => (await loadRegistration()).registrationToken);

const STAGES: ReadonlyMap<string, Stage> = new Map([
  [AuthType.Password, password],
  [AuthType.Recaptcha, lazyCaptcha],
  [AuthType.Terms, lazyStage(async () => (await loadRegistration()).terms)],
  [AuthType.Email, lazyStage(async () => (await loadRegistration()).email)],
  [AuthType.Msisdn, lazyStage(async () => (await loadPhone()).phone)],
  [AuthType.Sso, fallback],
  [AuthType.SsoUnstable, fallback],
  [AuthType.RegistrationToken, lazyToken],
  [AuthType.UnstableRegistrationToken, lazyToken],
  [AuthType.OAuth, fallback],
  [AuthType.CrossSigningReset, fallback],
]);

interface StageSettings {
  readonly supportedStages: readonly string[] | undefined;
  readonly loadCaptcha: LoadCaptcha | undefined;
  readonly children: HTMLCollection;
}

/** Loads the modules for the views of a flow, while the user is busy with the first of them. */
export function prefetchStages(flow: readonly string[], page: StageSettings): void {
  const slotted = slotsOf(page);
  for (const type of flow) {
    // The library shows no view for these.
    if (type === AuthType.Dummy || slotted.includes(type)) continue;
    const stage = stageOf(type, page.supportedStages);
    stage.prefetch?.();
    if (stage === lazyCaptcha && !page.loadCaptcha) fallback.prefetch?.();
  }
}

/** The view of a stage. Unsupported and unknown stages are left to the homeserver's page. */
export function stageOf(type: string, supported: readonly string[] | undefined): Stage {
  return (!supported || supported.includes(type) ? STAGES.get(type) : undefined) ?? fallback;
}

/**
 * The stages that need no page of the homeserver: the dialog's own, and those that the page
 * provides. Synapse lists password and SSO in an order that changes with each start, so the order
 * must not decide.
 */
export const servedStages = (page: Pick<StageSettings, "children">): readonly string[] => [
  ...[...STAGES].flatMap(([type, stage]) => (stage === fallback ? [] : type)),
  ...slotsOf(page),
];

const slotsOf = ({ children }: Pick<StageSettings, "children">): readonly string[] =>
  Array.from(children, ({ slot }) => slot);

export const isRegistrationToken = (stage: string): boolean =>
  stage === AuthType.RegistrationToken || stage === AuthType.UnstableRegistrationToken;

export const loadPhone: Load<typeof PhonePart> = lazyPart(() => import("../phone/phone.js"));
