// The elements in Svelte 5's templates: import "matrix-auth-elements/types/svelte";
import type { HTMLAttributes } from "svelte/elements";
import type { Attributes, ElementOf, Listeners, Properties, Tag } from "./elements.js";

type Own<T extends Tag> = Attributes<T> & Properties<T> & Listeners<T, "on">;

type Elements = {
  [T in Tag]: Own<T> & Omit<HTMLAttributes<ElementOf<T>>, keyof Own<T>>;
};

declare module "svelte/elements" {
  interface SvelteHTMLElements extends Elements {}
}
