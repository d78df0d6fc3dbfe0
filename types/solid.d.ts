// The elements in Solid's JSX: import "matrix-auth-elements/types/solid";
import type { JSX } from "solid-js";
import type { Attributes, ElementOf, Listeners, Properties, Tag } from "./elements.js";

// Solid takes names without a prefix for lower case: it would set `clientId` as `clientid`, to no
// effect. So they are the attributes' alone; properties need `prop:`.
type Own<T extends Tag> = Attributes<T> &
  Prefixed<Properties<T>, "prop"> &
  Prefixed<WithoutBooleans<Attributes<T>>, "attr"> &
  Prefixed<OnlyBooleans<Attributes<T>>, "bool"> &
  WithOptions<Listeners<T, "on:">>;

type Prefixed<Values, Prefix extends string> = {
  [Name in keyof Values as `${Prefix}:${Name & string}`]: Values[Name];
};

type WithoutBooleans<Values> = {
  [Name in keyof Values as boolean extends Values[Name] ? never : Name]: Values[Name];
};

type OnlyBooleans<Values> = Omit<Values, keyof WithoutBooleans<Values>>;

type WithOptions<Functions> = {
  [Name in keyof Functions]:
    Functions[Name] | (AddEventListenerOptions & { handleEvent: Functions[Name] });
};

type Elements = {
  [T in Tag]: Own<T> & Omit<JSX.HTMLAttributes<ElementOf<T>>, keyof Own<T>>;
};

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
