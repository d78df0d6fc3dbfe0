import type { Bend, Members, SessionRow } from "../bend.js";

const MATRIX =
  "Matrix, account management, https://spec.matrix.org/v1.18/client-server-api/#oauth-20-account-management";
const XSS = "CWE-79, https://cwe.mitre.org/data/definitions/79.html";

const PAGE = "https://account.example/me";
const ACTIONS = ["org.matrix.profile", "org.matrix.device_view"];

/** The link for an action, by what the issuer says of itself. */
const link = (metadata: Members, action?: string, deviceId?: string): Bend => ({
  session: {
    deeds: [
      {
        metadata: {
          account_management_uri: PAGE,
          account_management_actions_supported: ACTIONS,
          ...metadata,
        },
        ...(action !== undefined && { action }),
        ...(deviceId !== undefined && { deviceId }),
      },
    ],
  },
});

const none: Pick<SessionRow, "refused" | "leaves" | "asked"> = {
  refused: "no link",
  leaves: "signed-in",
  asked: [],
};

const at = (address: unknown): Bend => link({ account_management_uri: address });

/** Links that an application puts into its page. */
export const ACCOUNT_MANAGEMENT: readonly SessionRow[] = [
  ...[
    ["a-script", "javascript:alert(document.domain)//"],
    ["a-script-in-other-letters", " \tJavaScript:alert(1)"],
    ["a-document-of-its-own", "data:text/html,<script>alert(1)</script>"],
    ["a-blob", "blob:https://account.example/5c8a"],
    ["a-file", "file:///etc/passwd"],
    ["plain-http", "http://account.example/me"],
    ["a-path", "/me"],
    ["a-host-without-scheme", "//account.example/me"],
    ["a-user-name", "https://account.example@evil.example/me"],
    ["a-list", [PAGE]],
    ["nothing", ""],
    ["null", null],
  ].map(([name, address]): SessionRow => ({
    id: `account-page-at-${String(name)}`,
    source: XSS,
    bent: at(address),
    ...none,
    twin: at(PAGE),
    twinGives: PAGE,
  })),
  {
    id: "account-action-with-a-script",
    source: XSS,
    bent: link({ account_management_uri: "javascript:alert(1)" }, "org.matrix.profile"),
    ...none,
    twin: link({}, "org.matrix.profile"),
    twinGives: `${PAGE}?action=org.matrix.profile`,
  },
  {
    id: "account-action-that-nobody-knows",
    source: MATRIX,
    bent: link({}, "org.matrix.launch_missiles"),
    ...none,
    twin: link({ account_management_uri: `${PAGE}?lang=de&a=b%20c` }, "org.matrix.profile"),
    twinGives: `${PAGE}?lang=de&a=b%20c&action=org.matrix.profile`,
  },
  {
    id: "account-action-that-is-not-advertised",
    source: MATRIX,
    bent: link({}, "org.matrix.cross_signing_reset"),
    ...none,
    twin: link(
      { account_management_actions_supported: ["org.matrix.cross_signing_reset"] },
      "org.matrix.cross_signing_reset",
    ),
    twinGives: `${PAGE}?action=org.matrix.cross_signing_reset`,
  },
  {
    id: "account-action-where-none-is-advertised",
    source: MATRIX,
    bent: link({ account_management_actions_supported: undefined }, "org.matrix.profile"),
    ...none,
    twin: link({ account_management_actions_supported: undefined }),
    twinGives: PAGE,
  },
  {
    id: "account-action-that-is-part-of-an-advertised-one",
    source: MATRIX,
    bent: link({}, "org.matrix"),
    ...none,
    twin: link({}, "org.matrix.device_view", "A&action=org.matrix.account_deactivate#"),
    twinGives: `${PAGE}?action=org.matrix.device_view&device_id=A%26action%3Dorg.matrix.account_deactivate%23`,
  },
  {
    id: "account-action-named-like-a-prototype-s-member",
    source: "CWE-1321, https://cwe.mitre.org/data/definitions/1321.html",
    bent: link({}, "constructor"),
    ...none,
    twin: link(
      { account_management_actions_supported: ["org.matrix.session_view"] },
      "org.matrix.device_view",
      "DEVICE",
    ),
    twinGives: `${PAGE}?action=org.matrix.session_view&device_id=DEVICE`,
  },
  {
    id: "account-action-named-like-a-prototype",
    source: "CWE-1321, https://cwe.mitre.org/data/definitions/1321.html",
    bent: link({}, "__proto__"),
    ...none,
    twin: link({ account_management_uri: `${PAGE}?x#end` }, "org.matrix.profile"),
    twinGives: `${PAGE}?x&action=org.matrix.profile#end`,
  },
  {
    id: "account-action-without-a-name",
    source: MATRIX,
    bent: link({}, ""),
    ...none,
    twin: link({ account_management_uri: `${PAGE}?` }, "org.matrix.profile"),
    twinGives: `${PAGE}?action=org.matrix.profile`,
  },
];
