// The elements in the JSX of React 18: import "matrix-auth-elements/types/react-18";
//
// React 18 only sets attributes of custom elements, as text. What it cannot set – properties without an attribute,
// listeners – is set and added by a ref: docs/get-started/frameworks.md has a hook for that.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { Attributes, ElementOf, EventsOf, Tag } from "./elements.js";

type Own<T extends Tag> = AsText<Attributes<T>> & {
  /** Named, since no other name with a dash is an error in JSX. */
  [Event in EventsOf<T> as `on${Event}`]?: never;
} & {
  /** It would be an attribute of its own, `classname`. */
  className?: never;
  class?: string | undefined;
};

/** What can be written as text: `false` is read as false. */
type AsText<Values> = {
  [Name in keyof Values]?: Extract<Values[Name], string | number | boolean> | undefined;
};

type Elements = {
  [T in Tag]: Own<T> &
    Omit<DetailedHTMLProps<HTMLAttributes<ElementOf<T>>, ElementOf<T>>, keyof Own<T>>;
};

declare global {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
