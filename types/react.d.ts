// The elements in the JSX of React 19: import "matrix-auth-elements/types/react";
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { Attributes, ElementOf, Listeners, Properties, Tag } from "./elements.js";

type Own<T extends Tag> = Attributes<T> & Properties<T> & Listeners<T, "on">;

type Elements = {
  [T in Tag]: Own<T> &
    Omit<DetailedHTMLProps<HTMLAttributes<ElementOf<T>>, ElementOf<T>>, keyof Own<T>>;
};

declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
