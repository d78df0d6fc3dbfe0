import type { AuthClient } from "../../context/auth-client.js";
import { focusedElement } from "../../ui/focus.js";
import type { UiaDialogElement } from "./uia-dialog.js";
import type { AuthenticateOptions, DialogCall, DialogSettings, Resumption } from "./options.js";

type Settings = Omit<DialogSettings, "client"> & Pick<DialogCall, "doRequest">;

type CallOptions = AuthenticateOptions & Partial<Pick<DialogCall, "doRequest">>;

/**
 * Reads all settings of a call at the time of the call. The dialog doesn't read them from the
 * element later, because the page might have set another account by then.
 *
 * @param client The client of the call, the element, or its context.
 * @param resumption The UIA session to resume, if it belongs to that client's homeserver.
 */
export function takeCall(
  host: Settings & Pick<UiaDialogElement, "open" | "state"> & Node,
  client: AuthClient | undefined,
  resumption: Resumption,
  options: CallOptions,
): DialogCall {
  const of = <Name extends keyof Settings>(name: Name): Settings[Name] =>
    (options as Partial<Settings>)[name] || host[name] || undefined;
  const supportedStages = of("supportedStages");
  return {
    ...options,
    // Without a key, a call never joins another one.
    key: options.key ?? {},
    doRequest: of("doRequest"),
    requestEmailToken: of("requestEmailToken"),
    requestPhoneToken: of("requestPhoneToken"),
    client,
    homeserver: client?.baseUrl,
    userId: textOf(of("userId")) ?? userOf(client),
    resumption,
    inputs: { ...of("inputs") },
    supportedStages: supportedStages ? [...supportedStages] : undefined,
    pollInterval: of("pollInterval") ?? NaN,
    loadCaptcha: of("loadCaptcha"),
    opener: focusedElement(host),
    isOpened: host.open && host.state === "idle",
  };
}

/** The user that a client knows without a request. */
export function userOf(client: AuthClient | undefined): string | undefined {
  try {
    return textOf(client?.userId) ?? textOf(client?.getUserId?.());
  } catch {
    // The user is requested with `whoami()`.
    return undefined;
  }
}

/** Pages without types might set anything. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
