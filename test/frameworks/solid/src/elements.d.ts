// What JSX may say of the elements that this app uses.
import type { OidcSuccessEvent, UiaDialogElement } from "matrix-auth-elements";

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements {
      "oidc-login": HTMLAttributes<HTMLElement> & {
        homeserver?: string;
        disabled?: boolean;
        "client-name"?: string;
      };
      "oidc-callback": HTMLAttributes<HTMLElement> & {
        "on:oidc-success"?: (event: OidcSuccessEvent) => void;
      };
      "uia-dialog": HTMLAttributes<UiaDialogElement> & {
        "prop:client"?: UiaDialogElement["client"];
      };
    }
  }
}
