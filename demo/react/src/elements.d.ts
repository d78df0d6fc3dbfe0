// What JSX may say of the elements that this app uses.
import type { OidcLoginElement, OidcSuccessEvent, UiaDialogElement } from "matrix-auth-elements";
import type { DetailedHTMLProps, HTMLAttributes } from "react";

type Tag<Element, Settings = object> = DetailedHTMLProps<HTMLAttributes<Element>, Element> &
  Settings;

declare module "react" {
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
