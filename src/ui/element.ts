import {
  html,
  isServer,
  LitElement,
  nothing,
  type PropertyDeclaration,
  type TemplateResult,
} from "lit";
import { ELEMENT, eventFrom } from "../events/base.js";
import { LocalizeController } from "./localize.js";
import { isInPage } from "./page.js";
import { VERSION } from "./version.js";

/**
 * The forms among an element's children: the element's own form, and copies from a copied element.
 */
export const copiesIn = (host: Element): Iterable<Element> =>
  host.querySelectorAll(":scope > form.uia-fields");

/**
 * Reads a boolean attribute. Before an element is defined, frameworks can only set attributes
 * instead of properties, and write `false`.
 */
export const isTrue = (value: string | null): boolean => value !== null && value !== "false";

/** The controls in a fieldset's legend stay enabled. */
const DISABLED = "fieldset:disabled > :not(legend:first-of-type)";

const FIELDS = "[slot=fields] input:not([readonly], [type=submit])";
/** Without the button for another homeserver, which most users don't need. */
const CONTROLS = "iframe, input, a, button:not([part=change]), oidc-login";

/** Versions without a warning: this one, and those already reported. */
const known = new Set<string | undefined>([VERSION]);

/** The common base of the library's elements: registration, texts and `:state()`. */
export abstract class AuthElement extends LitElement {
  /** The version of the library that a registered class comes from. */
  static readonly version: string = VERSION;
  /** The tag under which the element's define module registers it. */
  static readonly tag: string;

  /** The browser calls `formDisabledCallback()` only for such elements. @internal */
  static readonly formAssociated: boolean = true;

  /** Set as in `LitElement`. Otherwise Lit warns about decorators in development. @internal */
  protected static override finalized = true as const;

  /**
   * An attribute has its property's name with dashes, unless another name, or no attribute, is set.
   * @internal
   */
  static override createProperty(name: PropertyKey, options?: PropertyDeclaration): void {
    const attribute = (name as string).replace(/[A-Z]/g, "-$&").toLowerCase();
    super.createProperty(name, { attribute, ...options });
  }

  /** @internal */
  readonly localize = new LocalizeController(this);
  /**
   * Whether the next render is on the server, or must match the server's. Then the element's
   * position and content are unknown. @internal
   */
  isHydrating = (isServer as boolean) || this.shadowRoot !== null;
  // Some test environments do not support them.
  readonly #states = (this as Partial<this>).attachInternals?.().states;
  #lastState: string | undefined;
  #hadFocus = false;

  constructor() {
    super();
    // A class member would prevent bundlers from removing an unused class.
    Object.defineProperty(this, ELEMENT, { value: true });
    if (isInPage()) this.addEventListener("keydown", onKey);
  }

  /**
   * Registers the element. A tag that is already taken keeps its first class. If that class has
   * another version, one warning is logged.
   *
   * @param tag Default: the element's own name.
   * @param {CustomElementRegistry} registry Default: the page's registry. If there is none, as in
   *   Node, nothing happens.
   */
  static define(
    tag: string = this.tag,
    registry = globalThis.customElements as CustomElementRegistry | undefined,
  ): void {
    const present = registry?.get(tag) as Partial<typeof AuthElement> | undefined;
    if (!present) {
      try {
        registry?.define(tag, this as unknown as CustomElementConstructor);
      } catch {
        // A registry accepts a class only once, so each further name gets its own subclass.
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

  /**
   * Focuses the first field for the user's input, otherwise the first button or link. Does nothing
   * while the element has the focus, or shows none of them.
   */
  override focus(options?: FocusOptions): void {
    for (const place of [
      ...this.querySelectorAll<HTMLElement>(FIELDS),
      ...(this.shadowRoot?.querySelectorAll<HTMLElement>(CONTROLS) ?? []),
    ]) {
      if (!this.#hasFocus) place.focus(options);
    }
  }

  /** Not `:focus-within`, which ends at an open dialog. */
  get #hasFocus(): boolean {
    return this.contains((this.getRootNode() as Document).activeElement);
  }

  /** Every event of the element and of its controllers is fired here. @internal */
  override dispatchEvent(event: Event): boolean {
    return super.dispatchEvent(eventFrom(this, event));
  }

  /** The element's state, which is also its only `:state()`. */
  abstract get state(): string;

  /** @internal */
  override connectedCallback(): void {
    super.connectedCallback();
    // A page cache or a framework might have copied an element together with its forms and the
    // user's input.
    if (!this.hasUpdated) for (const form of copiesIn(this)) form.remove();
    this.stateChanged();
  }

  /**
   * Whether it, or a fieldset around it, is disabled. It isn't `:disabled`, which is also true with
   * `disabled="false"`. @internal
   */
  get isDisabled(): boolean {
    // Servers have no `closest()`.
    return !!(this as Partial<this>).closest?.(DISABLED);
  }

  /** @internal */
  formDisabledCallback(): void {
    this.requestUpdate();
  }

  /** Renders a new state. Controllers call it immediately after a change. @internal */
  stateChanged(): void {
    const { state } = this;
    const last = this.#lastState;
    this.#lastState = state;
    this.#states?.clear();
    this.#states?.add(state);
    this.requestUpdate();
    if (last && last !== state) this.dispatchEvent(new Event("statechange"));
  }

  protected override updated(): void {
    // The browser's own `autofocus` does not cover what is rendered later.
    if (this.#hadFocus || !this.autofocus || document.activeElement !== document.body) return;
    this.focus();
    this.#hadFocus = this.#hasFocus;
  }

  /** The server's markup is now hydrated. From now on, the page's content is used. */
  protected override firstUpdated(): void {
    if (!this.isHydrating) return;
    this.isHydrating = false;
    void this.updateComplete.then(() => this.requestUpdate());
  }

  /** An element's styles and code belong to the document that it was created in. @internal */
  adoptedCallback(): void {
    // A framework might keep the element in a template's document, which has no window.
    const { ownerDocument } = this;
    if (ownerDocument === document || !ownerDocument.defaultView) return;
    console.warn(`matrix-auth-elements: <${this.localName}> cannot move to another document`);
  }

  /** Applies properties that were set just now. @internal */
  applyProperties(): void {
    this.performUpdate();
  }
}

/** Enter acts only once, even if it is held down. */
function onKey(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter") event.preventDefault();
}

declare global {
  interface GlobalEventHandlersEventMap {
    /** Fired by every element of this library when its `state` has changed. */
    statechange: Event;
  }
}

/** A button's label: the page's label, or a text of the library. */
export function renderLabel(host: AuthElement, text: string): TemplateResult {
  const blank = hasBlankLabel(host);
  return html`<slot>${blank ? nothing : text}</slot>${blank ? text : nothing}`;
}

/** Whether content that shows nothing would prevent the slot's default text. */
function hasBlankLabel({ isHydrating, childNodes }: AuthElement): boolean {
  // A server doesn't know the element's content, and the first render must match the server's.
  if (isHydrating) return false;
  const inSlot = ([...childNodes] as Partial<Element & Text>[]).filter(
    ({ slot, wholeText }) => slot === "" || wholeText !== undefined,
  );
  return inSlot.length > 0 && inSlot.every(isBlank);
}

/** Whether it is whitespace, or the slot of an element around this one that contains nothing else. */
const isBlank = (node: Partial<Text & HTMLSlotElement>): boolean =>
  (node.assignedNodes?.({ flatten: true }) as Partial<Text>[] | undefined)?.every(isBlank) ??
  node.wholeText?.trim() === "";

/** Renders the element again when its label changes: slots do not report all changes. */
export function watchLabel(host: AuthElement): void {
  if (!isInPage()) return;
  const update = (): void => host.requestUpdate();
  // Only the slots of elements around this one fire it here.
  host.addEventListener("slotchange", update);
  new MutationObserver(update).observe(host, {
    childList: true,
    characterData: true,
    subtree: true,
  });
}
