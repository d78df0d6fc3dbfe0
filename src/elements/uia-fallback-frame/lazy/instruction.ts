import { AuthType, isOAuth } from "../../../core/uia/auth-type.js";

/** What a user is asked to do on the page of a stage. */
export function instructionOf(stage: string): "uiaSsoAsk" | "uiaOAuthAsk" | "uiaFallbackAsk" {
  if (isOAuth(stage)) return "uiaOAuthAsk";
  const isSso = stage === AuthType.Sso || stage === AuthType.SsoUnstable;
  return isSso ? "uiaSsoAsk" : "uiaFallbackAsk";
}
