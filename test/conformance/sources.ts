/** A section of an RFC, or an appendix: `rfc(6749, "5.1")`, `rfc(6749, "A.12")`. */
export function rfc(number: number, part: string): string {
  const kind = /^[A-Z]/.test(part) ? "appendix" : "section";
  return `RFC ${number} ${kind} ${part}, https://www.rfc-editor.org/rfc/rfc${number}#${kind}-${part}`;
}

/** A section of the client-server API, by its title and its anchor. */
export const matrix = (title: string, anchor: string): string =>
  `Matrix, ${title}, https://spec.matrix.org/v1.16/client-server-api/#${anchor}`;

export const msc = (number: number): string =>
  `Matrix, MSC${number}, https://github.com/matrix-org/matrix-spec-proposals/pull/${number}`;

/** A section of OpenID Connect Core, or a conformance test of it. */
export const openid = (what: string, anchor: string): string =>
  `OpenID Connect ${what}, https://openid.net/specs/openid-connect-core-1_0.html#${anchor}`;

export const DISCOVERY_DOCUMENT =
  "OpenID Connect Discovery 4, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig";
export const DISCOVERY_VALIDATION =
  "OpenID Connect Discovery 4.3, https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation";
export const OWASP_RESOURCE_CONSUMPTION =
  "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/";
export const OWASP_PROTOTYPE_POLLUTION =
  "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html";
export const CWE_PROTOTYPE_POLLUTION = "CWE-1321, https://cwe.mitre.org/data/definitions/1321.html";
export const CWE_SCRIPT_INJECTION = "CWE-79, https://cwe.mitre.org/data/definitions/79.html";
export const FETCH_CORS = "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol";
