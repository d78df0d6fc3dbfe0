/**
 * The part of a captcha's script that is used: reCAPTCHA's, and that of others which have the same.
 *
 * @see https://developers.google.com/recaptcha/docs/display#js_api
 */
export interface CaptchaApi {
  /** @returns What `reset` takes. */
  render(container: HTMLElement, parameters: CaptchaParameters): unknown;
  reset?(widget: unknown): void;
}

export interface CaptchaParameters {
  readonly sitekey: string;
  readonly theme: "light" | "dark";
  /** `compact` where there is no room for the usual width. */
  readonly size: "normal" | "compact";
  readonly callback: (response: string) => void;
  readonly "error-callback": () => void;
}

/** Loads a captcha's script, and gives what it brings: for reCAPTCHA, `window.grecaptcha`. */
export type LoadCaptcha = () => Promise<CaptchaApi>;
