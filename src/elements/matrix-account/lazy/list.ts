import { RequestError } from "../../../core/http/errors.js";
import { presentMembers } from "../../../core/http/json.js";
import type { Section, SectionPart } from "./section.js";

/** How many entries are shown at first, and added by each "Show more". Thousands would be slow. */
const PAGE = 50;

/** A section's list from the homeserver. */
export class SectionList<Item> implements SectionPart {
  readonly section: Section;
  readonly #fetch: (signal: AbortSignal) => Promise<readonly Item[]>;
  readonly #accept: (items: readonly Item[]) => void;
  #items: readonly Item[] | undefined;
  #shown = PAGE;

  /** @param accept Takes a list that was loaded, and calls `set()`. Default: `set()` alone. */
  constructor(
    section: Section,
    fetch: (signal: AbortSignal) => Promise<readonly Item[]>,
    accept = (items: readonly Item[]): void => this.set(items),
  ) {
    this.section = section;
    this.#fetch = fetch;
    this.#accept = accept;
    section.add(this);
  }

  /** Empty until they are loaded. */
  get items(): readonly Item[] {
    return this.#items ?? [];
  }

  get isLoaded(): boolean {
    return this.#items !== undefined;
  }

  /** How many entries are shown. */
  get shown(): number {
    return this.#shown;
  }

  readonly load = async (signal: AbortSignal): Promise<void> => {
    const items = await this.#fetch(signal);
    signal.throwIfAborted();
    this.#accept(items);
  };

  set(items: readonly Item[]): void {
    this.#items = items;
    this.section.host.requestUpdate();
  }

  /** @param control The ID of an entry's control, without its index. */
  showMore(control: string): void {
    // The button might disappear, so the focus moves to the first of the added entries.
    this.section.focus(`${control}-${this.#shown}`);
    this.#shown += PAGE;
  }

  showFirstPage(): void {
    this.#shown = PAGE;
    this.section.host.requestUpdate();
  }
}

/** The list in a response. @throws {RequestError} `response_not_json` if an entry is invalid. */
export function readList<Item>(
  response: unknown,
  key: string,
  isItem: (each: unknown) => each is Item,
): readonly Item[] {
  const list = presentMembers(response)[key];
  if (Array.isArray(list) && list.every(isItem)) return list;
  throw new RequestError("response_not_json", `The response contains no valid ${key}`);
}
