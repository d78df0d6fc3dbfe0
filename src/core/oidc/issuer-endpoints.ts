import type { AuthMetadata } from "./metadata.js";

/** Where an issuer refreshes and revokes tokens. */
export type IssuerEndpoints = Pick<
  AuthMetadata,
  "issuer" | "token_endpoint" | "revocation_endpoint"
>;

export const issuerEndpoints = ({
  issuer,
  token_endpoint,
  revocation_endpoint,
}: IssuerEndpoints): IssuerEndpoints => ({ issuer, token_endpoint, revocation_endpoint });
