import { Countdown } from "../../../ui/lazy/countdown.js";
import type { LoadedPart } from "../../../ui/lazy.js";
import type { OidcLoginElement } from "../oidc-login.js";
import { LoginController } from "./controller.js";
import { renderLogin } from "./view.js";

export function createLogin(host: OidcLoginElement): LoadedPart<LoginController> {
  const controller = new LoginController(host);
  const countdown = new Countdown(host);
  return { controller, render: () => renderLogin(host, controller, countdown) };
}
