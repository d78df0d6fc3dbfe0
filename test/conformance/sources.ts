/** A section of an RFC, an appendix, or a test of it: `rfc(6749, "5.1")`, `rfc(6749, "A.12")`. */
export function rfc(number: number, part: string, test?: string): string {
  const kind = /^[A-Z]/.test(part) ? "appendix" : "section";
  return `${test ?? `RFC ${number} ${kind} ${part}`}, https://www.rfc-editor.org/rfc/rfc${number}#${kind}-${part}`;
}

/** A section of the client-server API, by its title and its anchor. */
export const matrix = (title: string, anchor: string): string =>
  `Matrix, ${title}, https://spec.matrix.org/v1.19/client-server-api/#${anchor}`;

export const msc = (number: number): string =>
  `Matrix, MSC${number}, https://github.com/matrix-org/matrix-spec-proposals/pull/${number}`;

/** A section of OpenID Connect Core, or a conformance test of it. */
export const openid = (what: string, anchor: string): string =>
  `OpenID Connect ${what}, https://openid.net/specs/openid-connect-core-1_0.html#${anchor}`;

/** The OpenID Foundation's test for relying parties, and its section of OpenID Connect Core. */
export const oidcc = (test: string, anchor = "IDTokenValidation"): string =>
  openid(`oidcc-client-test-${test}`, anchor);

/** The OpenID Foundation's FAPI 2 test, and its section of OpenID Connect Core. */
export const fapi2 = (test: string, anchor = "IDTokenValidation"): string =>
  openid(`fapi2-security-profile-final-client-test-${test}`, anchor);

/** A section of OpenID Connect Discovery, or a conformance test of it. */
export const discovery = (what: string, anchor: string): string =>
  `OpenID Connect Discovery ${what}, https://openid.net/specs/openid-connect-discovery-1_0.html#${anchor}`;

export const DISCOVERY_DOCUMENT = discovery("4", "ProviderConfig");
export const DISCOVERY_VALIDATION = discovery("4.3", "ProviderConfigurationValidation");
export const OWASP_RESOURCE_CONSUMPTION =
  "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/";
export const OWASP_PROTOTYPE_POLLUTION =
  "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html";
export const CONFUSABLES =
  "Unicode UTS 39 section 4, https://www.unicode.org/reports/tr39/#Confusable_Detection";
export const CWE_PROTOTYPE_POLLUTION = "CWE-1321, https://cwe.mitre.org/data/definitions/1321.html";
export const CWE_INEFFICIENT_EXPRESSION =
  "CWE-1333, https://cwe.mitre.org/data/definitions/1333.html";
export const CWE_SCRIPT_INJECTION = "CWE-79, https://cwe.mitre.org/data/definitions/79.html";
export const FETCH_CORS = "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol";
