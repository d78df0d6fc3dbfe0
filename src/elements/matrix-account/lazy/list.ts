import { html, nothing, type TemplateResult } from "lit";
import { RequestError } from "../../../core/http/errors.js";
import { presentMembers } from "../../../core/http/json.js";
import { AccountSection } from "./section.js";

/** A section with a list from the homeserver. */
export abstract class ListSection<Item> extends AccountSection {
  #items: readonly Item[] | undefined;

  get items(): readonly Item[] {
    return this.#items ?? [];
  }

  override async load(): Promise<void> {
    await this.work(
      async (signal) => {
        const items = await this.fetch(signal);
        signal.throwIfAborted();
        this.accept(items);
      },
      { state: "loading" },
    );
  }

  protected override get needsLoad(): boolean {
    return !this.#items;
  }

  protected abstract fetch(signal: AbortSignal): Promise<readonly Item[]>;

  protected abstract renderItems(): TemplateResult;

  protected accept(items: readonly Item[]): void {
    this.#items = items;
  }

  protected override renderContent(): unknown {
    return this.needsLoad ? nothing : this.renderItems();
  }

  protected renderList(rows: unknown): TemplateResult {
    return html`<ul part="list" aria-labelledby="${this.name}-heading">
      ${rows}
    </ul>`;
  }

  /** @param lead The content before the subject. */
  protected renderRow(about: unknown, actions: unknown, lead?: unknown): TemplateResult {
    return html`<li part="item" data-row>
      <div class="subject">
        ${lead}
        <div class="about">${about}</div>
      </div>
      <div part="actions">${actions}</div>
    </li>`;
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
