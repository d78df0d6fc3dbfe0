import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { RequestError } from "../../core/http/errors.js";
import { presentMembers } from "../../core/http/json.js";
import { renderButton } from "./section-view.js";
import type { Section, SectionPart } from "./section.js";

/**
 * The number of entries that are shown at first. This many can change within one frame while the
 * user types a search.
 */
const FIRST_PAGE = 20;
/** The number of entries that each "Show more" adds. Thousands would be slow. */
const PAGE = 50;

interface ListOptions<Item> {
  /** The name of the list in the response. */
  readonly name: string;
  readonly request: (signal: AbortSignal) => Promise<object>;
  readonly isItem: (each: unknown) => each is Item;
  readonly idOf: (item: Item) => string;
  /** Receives a loaded list, and calls `set()`. */
  readonly accept: (items: readonly Item[]) => void;
}

/** A section's list from the homeserver. */
export class SectionList<Item> implements SectionPart {
  readonly #section: Section;
  readonly #options: ListOptions<Item>;
  #items: readonly Item[] | undefined;
  /** The number of shown entries. */
  #shown = FIRST_PAGE;

  constructor(section: Section, options: ListOptions<Item>) {
    this.#section = section;
    this.#options = options;
    section.add(this);
  }

  /** Empty until they are loaded. */
  get items(): readonly Item[] {
    return this.#items ?? [];
  }

  get isLoaded(): boolean {
    return this.#items !== undefined;
  }

  /**
   * Invalid entries are left out, so that they don't hide the others.
   *
   * @throws {RequestError} `response_not_json` if there is no list.
   */
  readonly load = async (signal: AbortSignal): Promise<void> => {
    const { name, request, isItem, idOf, accept } = this.#options;
    const items = presentMembers(await request(signal))[name];
    signal.throwIfAborted();
    if (!Array.isArray(items)) {
      throw new RequestError("response_not_json", `The response contains no ${name}`);
    }
    accept([...new Map(items.filter(isItem).map((each) => [idOf(each), each])).values()]);
  };

  set(items: readonly Item[]): void {
    this.#items = items;
    this.#section.host.requestUpdate();
  }

  showFirstPage(): void {
    this.#shown = FIRST_PAGE;
    this.#section.host.requestUpdate();
  }

  /**
   * The first of any number of entries, and a button that shows more.
   *
   * @param control The ID of an entry's control, without its index.
   * @param label The ID of the element that names the list.
   */
  render(
    items: readonly Item[],
    renderItem: (item: Item, index: number) => TemplateResult,
    control: string,
    label = `${this.#section.name}-heading`,
  ): TemplateResult {
    const section = this.#section;
    const onClick = (): void => {
      // The button might disappear, so the focus moves to the first of the added entries.
      section.focus(`${control}-${this.#shown}`);
      this.#shown += PAGE;
    };
    const showMore = renderButton({ label: section.term("showMore"), onClick });
    return html`<ul part="list" aria-labelledby=${label}>
        ${repeat(items.slice(0, this.#shown), this.#options.idOf, renderItem)}
      </ul>
      ${items.length > this.#shown ? showMore : nothing}`;
  }
}

interface Row {
  /** The content before the subject. */
  readonly lead?: unknown;
  readonly about: unknown;
  readonly actions: unknown;
  /** The content below. */
  readonly more?: unknown;
}

export const renderRow = ({ lead, about, actions, more }: Row): TemplateResult =>
  html`<li part="item" data-row>
    <div class="row">
      ${lead}
      <div class="about">${about}</div>
      <div part="actions">${actions}</div>
    </div>
    ${more}
  </li>`;
