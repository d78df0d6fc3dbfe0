import { html, nothing, type TemplateResult } from "lit";
import { RequestError } from "../../../core/http/errors.js";
import { lazyPart } from "../../../ui/lazy.js";
import type { AddContact, Contact, Medium } from "./add-contact.js";
import { AccountSection, isGone, renderButton } from "./section.js";

const loadAddContact = /* @__PURE__ */ lazyPart(() => import("./add-contact.js"));

/** Email addresses and phone numbers: to add and to remove. */
export class ContactsSection extends AccountSection {
  readonly name = "contacts";
  readonly heading = "contacts";
  #contacts: readonly Contact[] | undefined;
  #form: AddContact | undefined;
  /** The address that is about to be removed. */
  #removing: string | undefined;
  #focusNext: string | undefined;

  override async load(): Promise<void> {
    await this.work(
      async (signal) => {
        const response: unknown = await this.account.client.getThreePids({ signal });
        signal.throwIfAborted();
        this.#contacts = readContacts(response);
      },
      { state: "loading" },
    );
  }

  override remove(): void {
    super.remove();
    this.#form?.remove();
  }

  override updated(): void {
    this.#form?.updated();
    const root = this.model.host.shadowRoot;
    if (this.#focusNext) root?.getElementById(this.#focusNext)?.focus();
    this.#focusNext = undefined;
  }

  /** The homeserver has added an address. @param typed As the user wrote it. */
  async added(typed: Contact): Promise<void> {
    const before = this.#contacts ?? [];
    this.#close();
    await this.load();
    const isKnown = (contact: Contact): boolean =>
      before.some(
        ({ medium, address }) => medium === contact.medium && address === contact.address,
      );
    // Homeservers write phone numbers in their own way.
    const added = this.#contacts?.find((each) => each.medium === typed.medium && !isKnown(each));
    const { medium, address } = added ?? typed;
    this.notify(this.term("contactAdded").replace("{address}", () => shown({ medium, address })));
    this.model.report({ section: "contacts", action: "added", medium, address });
  }

  readonly close = (): void => {
    const { medium } = this.#form ?? {};
    this.cancel();
    this.#close();
    this.#focus(`add-${medium}`);
  };

  protected override get needsLoad(): boolean {
    return !this.#contacts;
  }

  protected override renderContent(): unknown {
    if (!this.#contacts) return nothing;
    const add = (medium: Medium, label: string): TemplateResult =>
      renderButton({
        label,
        id: `add-${medium}`,
        busy: this.isBusy,
        onClick: () => void this.#add(medium),
      });
    const list = html`<ul part="list" aria-labelledby="contacts-heading">
      ${this.#contacts.map((contact, index) => this.#renderContact(contact, index))}
    </ul>`;
    return html`${this.#contacts.length > 0 ? list : nothing}
    ${
      this.#form?.render() ??
      html`<div part="actions">
        ${add("email", this.term("emailAdd"))} ${add("msisdn", this.term("phoneAdd"))}
      </div>`
    }`;
  }

  #renderContact(contact: Contact, index: number): TemplateResult {
    const [id, name] = [`remove-${index}`, `contact-${index}`];
    const isAsked = this.#removing === contact.address;
    const cancel = { label: this.term("cancel"), onClick: () => this.#ask(undefined, id) };
    return html`<li part="item" data-row>
      <div class="about"><bdi id=${name} dir="ltr">${shown(contact)}</bdi></div>
      <div part="actions">
        ${isAsked ? renderButton(cancel) : nothing}
        ${renderButton({
          label: this.term("remove"),
          id,
          labelledBy: `${id} ${name}`,
          kind: isAsked ? "danger" : undefined,
          busy: this.isBusy,
          onClick: () => (isAsked ? void this.#remove(contact) : this.#ask(contact.address, id)),
        })}
      </div>
    </li>`;
  }

  /** Asks whether an address shall be removed: the homeserver does not. */
  #ask(address: string | undefined, focusNext: string): void {
    this.#removing = address;
    this.#focus(focusNext);
  }

  async #remove(contact: Contact): Promise<void> {
    const { medium, address } = contact;
    const isRemoved = await this.work(async (signal) => {
      await this.account.client.deleteThreePid(medium, address).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      signal.throwIfAborted();
      this.#contacts = this.#contacts?.filter((each) => each !== contact);
    });
    if (!isRemoved) return;
    this.#removing = undefined;
    this.notify(this.term("contactRemoved").replace("{address}", () => shown(contact)));
    this.model.report({ section: "contacts", action: "removed", medium, address });
  }

  async #add(medium: Medium): Promise<void> {
    await this.work(async (signal) => {
      const { AddContact } = await loadAddContact();
      signal.throwIfAborted();
      this.#form = new AddContact(this, medium);
    });
  }

  #close(): void {
    this.#form?.remove();
    this.#form = undefined;
    this.model.host.requestUpdate();
  }

  #focus(id: string): void {
    this.#focusNext = id;
    this.model.host.requestUpdate();
  }
}

/** Phone numbers come without the plus. */
const shown = ({ medium, address }: Contact): string =>
  medium === "msisdn" && /^\d/.test(address) ? `+${address}` : address;

/** Those that the element knows. @throws {RequestError} `response_not_json` */
function readContacts(response: unknown): readonly Contact[] {
  const { threepids } = Object(response) as { readonly threepids?: unknown };
  if (!Array.isArray(threepids)) {
    throw new RequestError("response_not_json", "The response has no valid threepids");
  }
  return threepids.filter((each: unknown): each is Contact => {
    const { medium, address } = Object(each) as Partial<Contact>;
    return (medium === "email" || medium === "msisdn") && typeof address === "string";
  });
}
