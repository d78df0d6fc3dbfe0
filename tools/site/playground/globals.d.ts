// What build.mjs puts in.

interface PlaygroundMember {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
}

type PlaygroundMembers = "attributes" | "events" | "slots" | "cssParts" | "cssProperties";

/** Of custom-elements.json. */
interface PlaygroundElement extends Readonly<
  Partial<Record<PlaygroundMembers, readonly PlaygroundMember[]>>
> {
  readonly tagName: string;
  readonly summary?: string;
}

/** By tag. */
declare const ELEMENTS: Readonly<Record<string, PlaygroundElement>>;
/** Language tags, in addition to English. */
declare const LANGUAGES: readonly string[];
/** The English strings, by name. */
declare const TEXTS: Readonly<Record<string, string>>;
