import { html, nothing, type TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session.js";
import type { AuthDict, IStageStatus } from "../../../core/index.js";
import { MatrixError } from "../../../core/matrix/error.js";
import { submitMsisdnToken } from "../../../core/matrix/phone-code.js";
import { secureRandomString } from "../../../core/shared/base64url.js";
import { AuthType } from "../../../core/uia/auth-type.js";
import { validationSession } from "../../../core/uia/email-validation.js";
import { limitedText, readFailure } from "../../../core/uia/failure.js";
import {
  dialogTexts,
  phoneTexts,
  validationTexts,
  registrationTexts,
} from "../../../locales/en.js";
import type { CodedError } from "../../../sign-in/lazy/error-text.js";
import { addTexts } from "../../../texts/registry.js";
import { LightForm } from "../../../ui/lazy/form.js";
import { knownTag, withReason } from "../../../ui/lazy/format-text.js";
import { VisibilityPoller } from "../../../ui/lazy/visibility-poller.js";
import { stageError } from "../../uia-dialog/lazy/stage-error.js";
import { email } from "../../uia-dialog/lazy/stages/email.js";
import { phone } from "../../uia-dialog/lazy/phone/phone.js";
import type { Stage, StageView } from "../../uia-dialog/lazy/stages/stage-view.js";
import { type AccountSection, renderButton } from "./section.js";

addTexts({ $code: "en", ...validationTexts, ...dialogTexts, ...registrationTexts, ...phoneTexts });

const RESEND_PAUSE_MS = 30_000;
const POLL_INTERVAL_MS = 5000;

const STAGES: Readonly<Record<Medium, { readonly type: string; readonly stage: Stage }>> = {
  email: { type: AuthType.Email, stage: email },
  msisdn: { type: AuthType.Msisdn, stage: phone },
};

export type Medium = "email" | "msisdn";

export interface Contact {
  readonly medium: Medium;
  readonly address: string;
}

/** The section that shows the form. */
type ContactsSection = Pick<AccountSection, "model" | "account" | "isBusy" | "work" | "term"> & {
  /** The homeserver has added an address. */
  added(typed: Contact): Promise<void>;
  readonly close: () => void;
};

/** A message that the homeserver has sent. */
interface SentMessage {
  readonly sid: string;
  readonly address: string;
  /** Of a phone number. */
  readonly country: string;
  /** Where a code is submitted; undefined: the user follows a link. */
  readonly submitUrl: string | undefined;
}

/**
 * Adds an email address or a phone number. It shows what the dialog shows where a homeserver asks for one; the dialog
 * itself then asks for the password.
 */
export class AddContact {
  readonly medium: Medium;
  readonly #section: ContactsSection;
  readonly #form: LightForm;
  readonly #secret: string;
  #attempt = 1;
  #sent: SentMessage | undefined;
  #typed = "";
  #changing = false;
  #canResend = true;
  #unfinished = false;
  #status: IStageStatus = {};
  #view: StageView = {};
  #isNew = true;
  #poller: VisibilityPoller | undefined;
  #polling: Promise<void> | undefined;
  #resendTimer: ReturnType<typeof setTimeout> | undefined;
  /** The session of the User-Interactive Authentication: once it is completed, the homeserver asks for nothing more. */
  #uiaSession: string | undefined;

  constructor(section: ContactsSection, medium: Medium) {
    this.#section = section;
    this.medium = medium;
    const { host } = section.model;
    this.#form = new LightForm(host, "fields-contacts");
    this.#secret = section.account.client.generateClientSecret?.() ?? secureRandomString(32);
  }

  render(): TemplateResult {
    const { busy, ...session } = this.#session();
    const { localize } = this.#section.model.host;
    const failure = stageError(localize, { busy, ...session });
    const error = failure && withReason(failure.sentence, failure.reason);
    this.#view = STAGES[this.medium].stage({
      session: { busy, ...session },
      term: this.#form.term,
      language: knownTag(localize.language) ?? "en",
      id: this.#form.id,
      problem: this.#form.problem,
      error,
      loadCaptcha: undefined,
      refresh: () => this.#update(),
    });
    const { instruction, details, action, errorField, secondaryActions = [] } = this.#view;
    const message = this.#unfinished ? this.#section.term("stepUnfinished") : undefined;
    return html`<div class="form">
      <div role="status">
        ${instruction ? html`<p>${instruction}</p>` : nothing}${details ?? nothing}
      </div>
      <slot name="fields-contacts"></slot>
      <div role="alert">
        ${message ? html`<p part="notice">${message}</p>` : nothing}
        ${error && !errorField ? html`<div class="error" part="error">${error}</div>` : nothing}
      </div>
      <div part="actions">
        ${
          action
            ? renderButton({
                label: this.#section.term(action),
                kind: "primary",
                busy,
                onClick: () => this.#onAction(),
              })
            : nothing
        }
        ${secondaryActions.map(({ label, onClick, disabled = false }) =>
          renderButton({ label, busy: busy || disabled, onClick: () => void onClick() }),
        )}
        ${renderButton({ label: this.#section.term("cancel"), onClick: this.#section.close })}
      </div>
    </div>`;
  }

  updated(): void {
    const { fields, purpose = "", ready, errorField = "" } = this.#view;
    if (!fields) return this.#form.remove();
    const form = this.#form.show({
      purpose: `${this.medium} ${purpose || errorField}`,
      fields,
      busy: this.#section.isBusy,
      submit: () => this.#submit(),
    });
    ready?.(form);
    if (!this.#isNew) return;
    this.#isNew = false;
    const isInvalid = this.#form.focusInvalid();
    if (!isInvalid) form.querySelector<HTMLElement>("input:not([type=submit])")?.focus();
  }

  remove(): void {
    this.#sent = undefined;
    this.#poller?.stop();
    clearTimeout(this.#resendTimer);
    this.#form.remove();
  }

  /** What the views of the stages see. */
  #session(): UiaSession {
    const sent = this.#sent;
    const { client, userId } = this.#section.account;
    const country = { country: sent?.country ?? "", wantsCode: sent?.submitUrl !== undefined };
    return {
      stage: STAGES[this.medium].type,
      params: undefined,
      status: { ...this.#status, ...(sent && { emailSid: sent.sid }) },
      busy: this.#section.isBusy,
      ...{ step: 1, steps: 1, sessionId: null, client, userId, loadingUserId: false, inputs: {} },
      email: (sent?.address ?? this.#typed) || undefined,
      phone: sent && { phone: sent.address, ...country },
      changing: this.#changing || !sent,
      canResend: this.#canResend,
      hasOtherWay: false,
      unfinished: this.#unfinished,
      submit: () => this.#add(),
      poll: () => this.#poll(),
      finish: () => this.#add(),
      cancel: this.#section.close,
      requestEmailToken: (address) => this.#send("", address),
      requestPhoneToken: (into, address) => this.#send(into, address),
      submitPhoneCode: (code) => this.#submitCode(code),
      tryOtherWay: () => Promise.resolve(),
      changeAddress: () => {
        this.#poller?.stop();
        this.#changing = this.#isNew = true;
        this.#status = {};
        this.#unfinished = false;
        this.#update();
      },
    };
  }

  readonly #onAction = (): void => {
    if (this.#view.fields) this.#form.submit();
    else this.#submit();
  };

  #submit(): void {
    this.#status = {};
    this.#view.onSubmit?.(new FormData(this.#view.fields && this.#form.element));
  }

  async #send(
    country = this.#sent?.country ?? "",
    address = this.#sent?.address ?? "",
  ): Promise<void> {
    const { client } = this.#section.account;
    this.#typed = address;
    this.#unfinished = false;
    const isSent = await this.#work(async () => {
      const response =
        this.medium === "email"
          ? await client.requestAdd3pidEmailToken(address, this.#secret, this.#attempt)
          : await client.requestAdd3pidMsisdnToken(country, address, this.#secret, this.#attempt);
      const sid = validationSession(response);
      // After a lost response, the same number sends no second message.
      this.#attempt += 1;
      const submitUrl = limitedText("submit_url" in response ? response.submit_url : undefined);
      this.#sent = { sid, address, country, submitUrl };
    });
    if (!isSent) return;
    this.#changing = this.#canResend = false;
    this.#isNew = true;
    clearTimeout(this.#resendTimer);
    this.#resendTimer = setTimeout(() => {
      this.#canResend = true;
      this.#update();
    }, RESEND_PAUSE_MS);
    if (this.#sent?.submitUrl === undefined) this.#startPolling();
    this.#update();
  }

  async #submitCode(code: string): Promise<void> {
    const sent = this.#sent;
    if (sent?.submitUrl === undefined) return;
    const { sid, submitUrl } = sent;
    const body = { sid, client_secret: this.#secret, token: code };
    const isRight = await this.#work((signal) => submitMsisdnToken(submitUrl, body, { signal }));
    if (isRight) await this.#add();
  }

  /** Adds the address, through the dialog. */
  async #add(): Promise<void> {
    await this.#polling;
    const { model } = this.#section;
    const heading = this.#section.term(this.medium === "email" ? "emailAdd" : "phoneAdd");
    const isAdded = await this.#work((signal) =>
      model.confirm(
        (auth) => {
          this.#uiaSession = auth?.session ?? this.#uiaSession;
          return this.#request(auth);
        },
        { heading },
        signal,
      ),
    );
    if (isAdded) await this.#done();
    else if (this.#unfinished) this.#startPolling();
  }

  /** With what is known of the authentication: it need not be completed twice. */
  #request(auth: AuthDict | null): Promise<unknown> {
    const known = this.#uiaSession === undefined ? null : { session: this.#uiaSession };
    const { sid = "" } = this.#sent ?? {};
    const body = { sid, client_secret: this.#secret, auth: auth ?? known };
    return this.#section.account.client.addThreePidOnly(body);
  }

  #startPolling(): void {
    this.#poller?.stop();
    this.#poller = new VisibilityPoller(() => this.#poll(), POLL_INTERVAL_MS);
    void this.#poll();
  }

  #poll(): Promise<void> {
    return (this.#polling ??= this.#check().finally(() => {
      this.#polling = undefined;
    }));
  }

  /** Whether the user has followed the link; what else fails is told once the user continues. */
  async #check(): Promise<void> {
    const sent = this.#sent;
    if (this.#section.isBusy) return;
    try {
      await this.#request(null);
    } catch (error) {
      if (sent === this.#sent && readFailure(error).challenge) this.#askOnReturn();
      return;
    }
    if (sent && sent === this.#sent) await this.#done();
  }

  /** The homeserver asks for the password before it says anything: the user is elsewhere now, at the link. */
  #askOnReturn(): void {
    this.#poller?.stop();
    const poller = new VisibilityPoller(async () => {
      poller.stop();
      await this.#add();
    }, Infinity);
    this.#poller = poller;
  }

  async #done(): Promise<void> {
    const { address = "" } = this.#sent ?? {};
    await this.#section.added({ medium: this.medium, address });
  }

  #work(run: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    return this.#section.work(run, { refused: (error) => this.#refuse(error) });
  }

  /** What the homeserver says of the address or the code belongs to its field. */
  #refuse(error: CodedError): boolean {
    this.#unfinished = error.code === "M_THREEPID_AUTH_FAILED";
    if (this.#unfinished) return true;
    const { httpStatus } = error instanceof MatrixError ? error : { httpStatus: 500 };
    if (httpStatus >= 401 && httpStatus !== 403) return false;
    this.#status = { errcode: error.code, ...(error.reason && { error: error.reason }) };
    this.#isNew = true;
    return true;
  }

  #update(): void {
    this.#section.model.host.requestUpdate();
  }
}
