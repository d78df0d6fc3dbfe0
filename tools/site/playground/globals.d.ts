interface PlaygroundMember {
  readonly name: string;
  readonly description: string;
  readonly type?: string;
  readonly default?: string;
}

/** Of custom-elements.json, by tag. build.mjs puts it in. */
declare const ELEMENTS: Readonly<
  Record<
    string,
    { readonly summary: string } & Readonly<
      Record<"attributes" | "events" | "slots" | "parts" | "tokens", readonly PlaygroundMember[]>
    >
  >
>;
/** Language tags, beside English. */
declare const LANGUAGES: readonly string[];
/** The English texts, by their names. */
declare const TEXTS: Readonly<Record<string, string>>;
