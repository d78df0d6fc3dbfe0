import { serveJson, type Loopback } from "./loopback.js";

/** The only response that the captcha accepts. */
export const GOOD_CAPTCHA = "a-person";

/** Stands in for the service that verifies captchas: `recaptcha_siteverify_api`. */
export const startCaptcha = (): Promise<Loopback> =>
  serveJson(({ fields }) => ({ success: fields["response"] === GOOD_CAPTCHA }));
