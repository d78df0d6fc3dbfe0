import { LitElement } from "lit";
import { VERSION } from "./version.js";

/**
 * Reads an attribute that says yes or no. Before an element is defined, frameworks that set properties
 * have but attributes to set, and write `false` there.
 */
export const isTrue = (value: string | null): boolean => value !== null && value !== "false";

/** What the library's elements have in common: how they are registered, and their `:state()`. */
export abstract class AuthElement extends LitElement {
  /** The version of the library that a registered class comes from. */
  static readonly version: string = VERSION;
  /** The tag of the element's define module. */
  static readonly tag: string;

  readonly #states = this.attachInternals().states;

  /**
   * Registers the element. A tag that is taken stays with its first class: by the same version
   * silently, by another with a warning.
   *
   * @param tag Default: the element's own name.
   * @param registry Default: the page's; where there is none (Node), nothing happens.
   */
  static define(
    tag: string = this.tag,
    registry = globalThis.customElements as CustomElementRegistry | undefined,
  ): void {
    const present = registry?.get(tag) as Partial<typeof AuthElement> | undefined;
    if (!present) {
      const Element = this as unknown as CustomElementConstructor;
      try {
        registry?.define(tag, Element);
      } catch {
        // A registry takes a class once, so each further name gets a class of its own.
        registry?.define(tag, class extends Element {});
      }
    } else if (present.version !== this.version) {
      console.warn(
        `matrix-auth-elements ${this.version}: <${tag}> is taken by version ${present.version ?? "?"}`,
      );
    }
  }

  /** Shows `next`, and no other, as a `:state()` for CSS. */
  protected showState(next: string): void {
    this.#states.clear();
    this.#states.add(next);
  }
}
