// What the files beside this one share. What each element takes, and what it fires, comes from custom-elements.json.
import type { Contracts } from "../dist/element-contracts.js";

export type Tag = keyof Contracts;

export type ElementOf<T extends Tag> = Contracts[T]["element"];

export type EventsOf<T extends Tag> = Contracts[T]["events"];

/** The element's attributes, by the names that they have in HTML. */
export type Attributes<T extends Tag> = {
  [P in keyof Pick<ElementOf<T>, Contracts[T]["attributes"] & keyof ElementOf<T>> as Dashed<P>]?:
    Written<ElementOf<T>[P]> | undefined;
};

/** Every property that can be set. */
export type Properties<T extends Tag> = {
  -readonly [
    P in keyof Pick<
      ElementOf<T>,
      (Contracts[T]["attributes"] | Contracts[T]["properties"]) & keyof ElementOf<T>
    >
  ]?: ElementOf<T>[P] | undefined;
};

/** A listener for each event, under the event's name after `Prefix`. */
export type Listeners<T extends Tag, Prefix extends string> = {
  [E in EventsOf<T> as `${Prefix}${E}`]?: Listener<T, E> | undefined;
};

/** Called with the event as it is at the element. */
export type Listener<T extends Tag, E extends keyof HTMLElementEventMap> = (
  event: HTMLElementEventMap[E] & { readonly currentTarget: ElementOf<T> },
) => void;

/** What an attribute can be set to: text stands for a number. */
export type Written<Value> = Value extends number ? number | `${number}` : Value;

type Dashed<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Dashed<Rest>}`
  : "";

export type CamelCase<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name & string;
