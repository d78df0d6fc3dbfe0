import { html } from "lit";
import { AuthType } from "../../../core/uia/options.js";
import { loadUserHomeserver, typedUser } from "../../../sign-in/password-place.js";
import { dialogTexts, fieldTexts, registrationTexts } from "../../../texts/english.js";
import { type Localize, partTexts } from "../../../texts/part-texts.js";
import { lazyPart, type Load } from "../../../ui/loading.js";
import { field, usernameField, valueOf } from "../../../ui/form/field.js";
import type { DialogCall } from "../options.js";
import type * as PhonePart from "../phone/phone.js";
import { fallback, lazyStage, type Stage } from "./stage-view.js";

const { confirmIdentity, passwordAsk, emailHeading, phoneHeading, termsHeading, captchaHeading } =
  dialogTexts;
const headings = { confirmIdentity, emailHeading, phoneHeading, termsHeading, captchaHeading };
const { token: tokenHeading } = registrationTexts;
const texts = partTexts(headings, {
  passwordAsk,
  token: tokenHeading,
  password: fieldTexts.password,
});

const loadRegistration = lazyPart(() => import("./registration-stages.js"));
export const loadPhone: Load<typeof PhonePart> = lazyPart(() => import("../phone/phone.js"));

const captcha = lazyStage(loadRegistration, (part) => part.captcha);
const terms = lazyStage(loadRegistration, (part) => part.terms);
const email = lazyStage(loadRegistration, (part) => part.email);
const phone = lazyStage(loadPhone, (part) => part.phone);
const token = lazyStage(loadRegistration, (part) => part.registrationToken);

const userOf = (values: FormData): Promise<string> => typedUser(valueOf(values, "username"));

/** The submission should not wait for the code. */
const loadWithInput = (form: HTMLFormElement): void =>
  form.addEventListener("input", () => void loadUserHomeserver());

/** @see https://spec.matrix.org/v1.19/client-server-api/#password-based */
const password: Stage = (context) => {
  const { session } = context;
  const { userId } = session;
  const question = { instruction: texts.term(context, "passwordAsk"), generic: true };
  // If the username were editable at first, it would have the focus, and the user might type the password there.
  if (session.loadingUserId) return { ...question, loading: true };
  return {
    ...question,
    fields: html`${usernameField(context, userId)}${field(context, {
      name: "password",
      label: texts.term(context, "password"),
      type: "password",
      autocomplete: "current-password",
      error: context.error,
    })}`,
    errorField: "password",
    action: "continue",
    ...(userId === undefined && { ready: loadWithInput }),
    onSubmit: async (values) =>
      session.submit({
        type: session.stage,
        identifier: { type: "m.id.user", user: userId ?? (await userOf(values)) },
        // The password is not trimmed, because spaces can be part of it.
        password: values.get("password"),
      }),
  };
};

interface Row {
  readonly view: Stage;
  /** The action at this stage, in the dialog or on the homeserver's page. */
  readonly heading: keyof typeof headings | "token";
}

/** The stages for which the dialog has a view. */
const STAGES: ReadonlyMap<string, Row> = new Map<string, Row>([
  [AuthType.Password, { view: password, heading: "confirmIdentity" }],
  [AuthType.Recaptcha, { view: captcha, heading: "captchaHeading" }],
  [AuthType.Terms, { view: terms, heading: "termsHeading" }],
  [AuthType.Email, { view: email, heading: "emailHeading" }],
  [AuthType.Msisdn, { view: phone, heading: "phoneHeading" }],
  [AuthType.RegistrationToken, { view: token, heading: "token" }],
  [AuthType.UnstableRegistrationToken, { view: token, heading: "token" }],
]);

/** The dialog's heading at a stage. Most stages confirm the user's identity. */
export const headingOf = (localize: Localize, type: string): string =>
  texts.term(localize, STAGES.get(type)?.heading ?? "confirmIdentity");

/**
 * The name of a stage, which starts with a namespace, such as `m.`. The dialog's own slots never show
 * a stage, even if the homeserver has a stage with this name.
 */
const STAGE_NAME = /^[^-]+\./;

/** A stage that the page itself shows in a slot. */
const slotted: Stage = ({ session }) => ({ nonModal: session.stage === AuthType.Recaptcha });

/** Loads the modules for the views of a flow, while the user is busy with the first of them. */
export function prefetchStages(flow: readonly string[], host: Element, call: DialogCall): void {
  for (const type of flow) {
    // This stage has no view.
    if (type === AuthType.Dummy) continue;
    const stage = stageOf(type, host, call);
    stage.prefetch?.();
    if (stage === captcha && !call.loadCaptcha) fallback.prefetch?.();
  }
}

/** The view of a stage. Unsupported and unknown stages are left to the homeserver's page. */
export function stageOf(type: string, host: Element, { supportedStages }: DialogCall): Stage {
  if (slotsOf(host).includes(type) && STAGE_NAME.test(type)) return slotted;
  const isSupported = !supportedStages || supportedStages.includes(type);
  return (isSupported ? STAGES.get(type)?.view : undefined) ?? fallback;
}

/**
 * The stages that need no page of the homeserver: those of the dialog and those that the page
 * provides. Synapse lists password and SSO in an order that changes with each start, so the order
 * must not decide.
 */
export const servedStages = (host: Element): readonly string[] => [
  ...STAGES.keys(),
  ...slotsOf(host),
];

const slotsOf = ({ children }: Element): readonly string[] => [...children].map(({ slot }) => slot);
