import { captured, type CapturedLogin } from "../captured-login.js";

const owners = new WeakMap<CapturedLogin, Element>();

/**
 * The login that the page has come back from, for one element to complete: another one gets it only if that element
 * has left the page meanwhile.
 */
export function claimLogin(owner: Element): CapturedLogin | undefined {
  const { login } = captured;
  if (!login || owners.get(login)?.isConnected) return undefined;
  owners.set(login, owner);
  return login;
}

/** Nothing is left to do for a login. */
export function finishLogin(login: CapturedLogin): void {
  if (captured.login === login) captured.login = undefined;
}
