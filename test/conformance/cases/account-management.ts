import type { Deviation, Members, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { CWE_PROTOTYPE_POLLUTION, CWE_SCRIPT_INJECTION } from "../sources.js";

const MATRIX = "Matrix, account management, https://spec.matrix.org/v1.19/client-server-api/#oauth-20-account-management";
const XSS = CWE_SCRIPT_INJECTION;

const PAGE = "https://account.example/me";
const ACTIONS = ["org.matrix.profile", "org.matrix.device_view"];

/** Asks for the link for an action, with this metadata of the issuer. */
const link = (metadata: Members, action?: string, deviceId?: string): Deviation => ({
  session: {
    actions: [
      {
        metadata: { account_management_uri: PAGE, account_management_actions_supported: ACTIONS, ...metadata },
        ...(action !== undefined && { action }),
        ...(deviceId !== undefined && { deviceId }),
      },
    ],
  },
});

const none: Pick<SessionRow, "refused" | "leaves" | "requests"> = { refused: "no link", leaves: "signed-in", requests: [] };

const at = (url: unknown): Deviation => link({ account_management_uri: url });

/** Links that an app puts into its page. */
export const ACCOUNT_MANAGEMENT = sessionRows({ source: MATRIX, ...none }, [
  ...[
    ["a-script", "javascript:alert(document.domain)//"],
    ["a-script-in-mixed-case", " \tJavaScript:alert(1)"],
    ["a-data-url", "data:text/html,<script>alert(1)</script>"],
    ["a-blob", "blob:https://account.example/5c8a"],
    ["a-file", "file:///etc/passwd"],
    ["plain-http", "http://account.example/me"],
    ["a-path", "/me"],
    ["a-host-without-scheme", "//account.example/me"],
    ["a-user-name", "https://account.example@evil.example/me"],
    ["a-list", [PAGE]],
    ["nothing", ""],
    ["null", null],
  ].map(([name, url]): SessionRow => ({
    id: `account-page-at-${String(name)}`,
    source: XSS,
    deviation: at(url),
    ...none,
    control: at(PAGE),
    controlValue: PAGE,
  })),
  {
    id: "account-action-with-a-script",
    source: XSS,
    deviation: link({ account_management_uri: "javascript:alert(1)" }, "org.matrix.profile"),
    control: link({}, "org.matrix.profile"),
    controlValue: `${PAGE}?action=org.matrix.profile`,
  },
  {
    id: "account-action-unknown",
    deviation: link({}, "org.matrix.launch_missiles"),
    control: link({ account_management_uri: `${PAGE}?lang=de&a=b%20c` }, "org.matrix.profile"),
    controlValue: `${PAGE}?lang=de&a=b%20c&action=org.matrix.profile`,
  },
  {
    id: "account-action-that-is-not-advertised",
    deviation: link({}, "org.matrix.cross_signing_reset"),
    control: link({ account_management_actions_supported: ["org.matrix.cross_signing_reset"] }, "org.matrix.cross_signing_reset"),
    controlValue: `${PAGE}?action=org.matrix.cross_signing_reset`,
  },
  {
    id: "account-action-without-advertised-actions",
    deviation: link({ account_management_actions_supported: undefined }, "org.matrix.profile"),
    control: link({ account_management_actions_supported: undefined }),
    controlValue: PAGE,
  },
  {
    id: "account-action-substring-of-an-advertised-one",
    deviation: link({}, "org.matrix"),
    control: link({}, "org.matrix.device_view", "A&action=org.matrix.account_deactivate#"),
    controlValue: `${PAGE}?action=org.matrix.device_view&device_id=A%26action%3Dorg.matrix.account_deactivate%23`,
  },
  {
    id: "account-action-name-of-a-prototype-member",
    source: CWE_PROTOTYPE_POLLUTION,
    deviation: link({}, "constructor"),
    control: link({ account_management_actions_supported: ["org.matrix.session_view"] }, "org.matrix.device_view", "DEVICE"),
    controlValue: `${PAGE}?action=org.matrix.session_view&device_id=DEVICE`,
  },
  {
    id: "account-action-proto",
    source: CWE_PROTOTYPE_POLLUTION,
    deviation: link({}, "__proto__"),
    control: link({ account_management_uri: `${PAGE}?x#end` }, "org.matrix.profile"),
    controlValue: `${PAGE}?x&action=org.matrix.profile#end`,
  },
  {
    id: "account-action-without-a-name",
    deviation: link({}, ""),
    control: link({ account_management_uri: `${PAGE}?` }, "org.matrix.profile"),
    controlValue: `${PAGE}?action=org.matrix.profile`,
  },
]);
