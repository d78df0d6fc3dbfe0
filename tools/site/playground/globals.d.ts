// build.mjs defines these constants.

interface PlaygroundMember {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
}

type PlaygroundMembers = "attributes" | "events" | "slots" | "cssParts" | "cssProperties";

/** An element in custom-elements.json. */
interface PlaygroundElement extends Readonly<
  Partial<Record<PlaygroundMembers, readonly PlaygroundMember[]>>
> {
  readonly tagName: string;
  readonly summary?: string;
}

/** The elements, by tag. */
declare const ELEMENTS: Readonly<Record<string, PlaygroundElement>>;
/** Language tags, in addition to English. */
declare const LANGUAGES: readonly string[];
/** The English strings, by name. */
declare const TEXTS: Readonly<Record<string, string>>;
