// The types of matrix-auth-elements/react.
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from "react";
import type { CamelCase, ElementOf, EventsOf, Listener, Properties, Tag } from "./elements.js";

type Own<T extends Tag> = Properties<T> & {
  [E in EventsOf<T> as `on${Capitalize<CamelCase<E>>}`]?: Listener<T, E> | undefined;
};

type Component<T extends Tag> = ForwardRefExoticComponent<
  Own<T> & Omit<HTMLAttributes<ElementOf<T>>, keyof Own<T>> & RefAttributes<ElementOf<T>>
>;

export { useMatrixSession } from "./react-session.js";

/** `<matrix-account>` with its properties, and a listener such as `onMatrixAccountChange` for each event. */
export declare const MatrixAccount: Component<"matrix-account">;

/** `<matrix-login>` with its properties, and a listener such as `onMatrixLoginSuccess` for each event. */
export declare const MatrixLogin: Component<"matrix-login">;

/** `<oidc-callback>` with its properties, and a listener such as `onOidcSuccess` for each event. */
export declare const OidcCallback: Component<"oidc-callback">;

/** `<oidc-login>` with its properties, and a listener such as `onOidcError` for each event. */
export declare const OidcLogin: Component<"oidc-login">;

/** `<uia-dialog>` with its properties, and a listener such as `onUiaSuccess` for each event. */
export declare const UiaDialog: Component<"uia-dialog">;

/** `<uia-fallback-frame>` with its properties, and a listener such as `onUiaFallbackDone` for each event. */
export declare const UiaFallbackFrame: Component<"uia-fallback-frame">;
