/**
 * The part of a captcha's script that is used: reCAPTCHA's API, or a compatible one.
 *
 * @see https://developers.google.com/recaptcha/docs/display#js_api
 */
export interface CaptchaApi {
  /** @returns The argument for `reset`. */
  render(container: HTMLElement, parameters: CaptchaParameters): unknown;
  reset?(widget: unknown): void;
}

export interface CaptchaParameters {
  readonly sitekey: string;
  readonly theme: "light" | "dark";
  /** `compact` if there is no room for the usual width. */
  readonly size: "normal" | "compact";
  readonly callback: (response: string) => void;
  readonly "error-callback": () => void;
}

/** Loads a captcha's script and resolves with its API: for reCAPTCHA, `window.grecaptcha`. */
export type LoadCaptcha = () => Promise<CaptchaApi>;
