// What JSX may say of the elements that this app uses.
import type { OidcLoginElement, OidcSuccessEvent, UiaDialogElement } from "matrix-auth-elements";
import type { HTMLAttributes } from "preact";

type Tag<Element extends HTMLElement, Settings = object> = HTMLAttributes<Element> & Settings;

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "oidc-login": Tag<
        OidcLoginElement,
        Partial<Pick<OidcLoginElement, "clientName" | "disabled" | "homeserver">>
      >;
      "oidc-callback": Tag<HTMLElement, { "onoidc-success"?: (event: OidcSuccessEvent) => void }>;
      "uia-dialog": Tag<UiaDialogElement, Partial<Pick<UiaDialogElement, "client">>>;
    }
  }
}
