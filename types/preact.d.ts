// The elements in Preact's JSX: import "matrix-auth-elements/types/preact";
import type { HTMLAttributes } from "preact";
import type { Attributes, ElementOf, Listeners, Properties, Tag } from "./elements.js";

type Own<T extends Tag> = Attributes<T> & Properties<T> & Listeners<T, "on">;

type Elements = {
  [T in Tag]: Own<T> & Omit<HTMLAttributes<ElementOf<T>>, keyof Own<T>>;
};

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
