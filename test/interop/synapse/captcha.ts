import { serveJson, type Loopback } from "./loopback.js";

/** The one answer that the captcha takes. */
export const GOOD_CAPTCHA = "a-person";

/** Stands in for the service that says whether a captcha was solved: `recaptcha_siteverify_api`. */
export const startCaptcha = (): Promise<Loopback> =>
  serveJson(({ fields }) => ({ success: fields["response"] === GOOD_CAPTCHA }));
