import { AuthType } from "../../../../core/uia/auth-type.js";
import type { LoadCaptcha } from "../../captcha.js";
import { lazyPart } from "../../../shared/lazy-part.js";
import { loadPhone } from "../load-phone.js";
import { fallback } from "./fallback.js";
import { LazyStage } from "./lazy-stage.js";
import { password } from "./password.js";
import type { Stage } from "./stage-view.js";

const loadRegistration = lazyPart(() => import("./registration-stages.js"));

const captcha = new LazyStage(async () => (await loadRegistration()).captcha);
const email = new LazyStage(async () => (await loadRegistration()).email);
const phone = new LazyStage(async () => (await loadPhone()).phone);
const registrationToken = new LazyStage(async () => (await loadRegistration()).registrationToken);
const terms = new LazyStage(async () => (await loadRegistration()).terms);
const LAZY = [captcha, email, phone, registrationToken, terms, fallback];

const STAGES: ReadonlyMap<string, Stage> = new Map([
  [AuthType.Password, password],
  [AuthType.Recaptcha, captcha.view],
  [AuthType.Terms, terms.view],
  [AuthType.Email, email.view],
  [AuthType.Msisdn, phone.view],
  [AuthType.Sso, fallback.view],
  [AuthType.SsoUnstable, fallback.view],
  [AuthType.RegistrationToken, registrationToken.view],
  [AuthType.UnstableRegistrationToken, registrationToken.view],
  [AuthType.OAuth, fallback.view],
  [AuthType.CrossSigningReset, fallback.view],
]);

/** A page's settings for stages. */
interface Page {
  readonly supportedStages: readonly string[] | undefined;
  readonly loadCaptcha: LoadCaptcha | undefined;
  readonly children: HTMLCollection;
}

/** Loads what the views of a flow need, while the user is busy with the first of them. */
export function prefetchStages(flow: readonly string[], page: Page): void {
  const slotted = slotsOf(page);
  for (const type of flow) {
    // The library shows no view for these.
    if (type === AuthType.Dummy || slotted.includes(type)) continue;
    const view = stageOf(type, page.supportedStages);
    const fetched = LAZY.find((stage) => stage.view === view);
    fetched?.prefetch();
    if (fetched === captcha && !page.loadCaptcha) fallback.prefetch();
  }
}

/** The view of a stage. Unsupported and unknown stages are left to the homeserver's page. */
export function stageOf(type: string, supported: readonly string[] | undefined): Stage {
  return (!supported || supported.includes(type) ? STAGES.get(type) : undefined) ?? fallback.view;
}

/**
 * The stages that need no page of the homeserver: the dialog's own, and those that the page provides.
 * Synapse lists password and SSO in an order that changes with each start, so the order must not decide.
 */
export const servedStages = (page: Pick<Page, "children">): readonly string[] => [
  ...[...STAGES].flatMap(([type, stage]) => (stage === fallback.view ? [] : type)),
  ...slotsOf(page),
];

const slotsOf = ({ children }: Pick<Page, "children">): readonly string[] =>
  Array.from(children, ({ slot }) => slot);

export const isToken = (stage: string): boolean =>
  stage === AuthType.RegistrationToken || stage === AuthType.UnstableRegistrationToken;
