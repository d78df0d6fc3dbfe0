import { parseTrustworthyUrl } from "../http/index.js";
import type { AuthMetadata } from "./metadata.js";

/** Names that some issuers used for an action before Matrix 1.18. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  "org.matrix.devices_list": "org.matrix.sessions_list",
  "org.matrix.device_view": "org.matrix.session_view",
  "org.matrix.device_delete": "org.matrix.session_end",
};

/**
 * The URL of the issuer's account management page: the page for `action`, or the start page if
 * `action` is omitted.
 *
 * @param action For example `org.matrix.profile`, `org.matrix.devices_list`, `org.matrix.device_view`,
 *   `org.matrix.device_delete`, `org.matrix.account_deactivate`, `org.matrix.cross_signing_reset`.
 * @param options `deviceId`: the device, for an action on a device.
 * @returns undefined if the issuer has no such page or does not list the action as supported.
 * @see https://spec.matrix.org/v1.19/client-server-api/#oauth-20-account-management
 * @experimental
 */
export function accountManagementUrl(
  metadata: Pick<AuthMetadata, "account_management_uri" | "account_management_actions_supported">,
  action?: string,
  { deviceId }: { readonly deviceId?: string | undefined } = {},
): string | undefined {
  const url = parseTrustworthyUrl(metadata.account_management_uri);
  if (!url || action === undefined) return url?.href;
  const name = [action, OLD_NAMES[action]].find(
    (each) => each && metadata.account_management_actions_supported?.includes(each),
  );
  if (!name) return undefined;
  const parameters = new URLSearchParams({
    action: name,
    ...(deviceId && { device_id: deviceId }),
  });
  url.search += `${url.search && "&"}${parameters.toString()}`;
  return url.href;
}
