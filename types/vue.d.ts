// The elements in Vue 3's templates: import "matrix-auth-elements/types/vue";
//
// Vue's type checker takes `client-id` and `clientId` for the same; Vue does not. What has no attribute
// (`clientMetadata`, `doRequest` …) has to be bound in camelCase.
import type { HTMLAttributes, VNodeProps } from "vue";
import type { CamelCase, ElementOf, Listeners, Properties, Tag, Written } from "./elements.js";

type Own<T extends Tag> = {
  [Name in keyof Properties<T>]: Written<Properties<T>[Name]>;
} & InCamelCase<Listeners<T, "on-">>;

type InCamelCase<Values> = { [Name in keyof Values as CamelCase<Name>]: Values[Name] };

type Global = VNodeProps & HTMLAttributes & { slot?: string | undefined };

/** What Vue's type checker reads of a component; a template's ref to it is the element. */
type Components = {
  [T in Tag]: new () => ElementOf<T> & { $props: Own<T> & Omit<Global, keyof Own<T>> };
};

declare module "vue" {
  interface GlobalComponents extends Components {}
}
