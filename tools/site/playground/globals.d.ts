// What build.mjs puts in.

interface PlaygroundMember {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
}

/** Of custom-elements.json. */
interface PlaygroundElement {
  readonly tagName: string;
  readonly summary?: string;
  readonly attributes?: readonly PlaygroundMember[];
  readonly events?: readonly PlaygroundMember[];
  readonly slots?: readonly PlaygroundMember[];
  readonly cssParts?: readonly PlaygroundMember[];
  readonly cssProperties?: readonly PlaygroundMember[];
}

/** By tag. */
declare const ELEMENTS: Readonly<Record<string, PlaygroundElement>>;
/** Language tags, in addition to English. */
declare const LANGUAGES: readonly string[];
/** The English strings, by name. */
declare const TEXTS: Readonly<Record<string, string>>;
