import { LitElement } from "lit";
import { attachContextRoot } from "../../context/context-root.js";
import { VERSION } from "./version.js";

/**
 * Reads an attribute that says yes or no. Before an element is defined, frameworks that set properties
 * can only set attributes, and write `false` there.
 */
export const isTrue = (value: string | null): boolean => value !== null && value !== "false";

/** Of another version it is warned once, however many tags that one has taken. */
const known = new Set<string | undefined>([VERSION]);

/** What the library's elements have in common: how they are registered, and their `:state()`. */
export abstract class AuthElement extends LitElement {
  /** The version of the library that a registered class comes from. */
  static readonly version: string = VERSION;
  /** The tag of the element's define module. */
  static readonly tag: string;

  readonly #states = this.attachInternals().states;

  /**
   * Registers the element. A tag that is taken stays with its first class: by the same version
   * silently, by another with one warning.
   *
   * @param tag Default: the element's own name.
   * @param {CustomElementRegistry} registry Default: the page's; where there is none (Node), nothing happens.
   */
  static define(
    tag: string = this.tag,
    registry = globalThis.customElements as CustomElementRegistry | undefined,
  ): void {
    attachContextRoot();
    const present = registry?.get(tag) as Partial<typeof AuthElement> | undefined;
    if (!present) {
      try {
        registry?.define(tag, this as unknown as CustomElementConstructor);
      } catch {
        // A registry takes a class once, so each further name gets a class of its own.
        registry?.define(tag, class extends (this as unknown as CustomElementConstructor) {});
      }
    } else if (!known.has(present.version)) {
      known.add(present.version);
      console.warn(
        `matrix-auth-elements ${VERSION}:`,
        tag,
        "is taken by",
        present.version ?? present,
      );
    }
  }

  /** Shows `next`, and no other, as a `:state()` for CSS. */
  protected showState(next: string): void {
    this.#states.clear();
    this.#states.add(next);
  }
}
