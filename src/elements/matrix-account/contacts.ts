import { html, nothing, type TemplateResult } from "lit";
import { presentMembers } from "../../core/http/json.js";
import { asShowable } from "../../core/shared/identifiers.js";
import { AuthType } from "../../core/uia/options.js";
import { insert, isolated, shortened } from "../../ui/format-text.js";
import { phoneNumber } from "../../ui/phone/phone-number.js";
import { Addition, type RefusedAddress } from "./addition.js";
import { acceptGone } from "./errors.js";
import { renderRow, SectionList } from "./list.js";
import { renderButton } from "./section-view.js";
import type { Section, SectionContent } from "./section.js";

interface Contact {
  readonly medium: string;
  readonly address: string;
}

/** The kinds of addresses, with the stage that validates each, and the text of its button. */
const MEDIA = {
  email: { stage: AuthType.Email, add: "emailAdd" },
  msisdn: { stage: AuthType.Msisdn, add: "phoneAdd" },
} as const;

type Medium = keyof typeof MEDIA;

/** Lets the user add and remove email addresses and phone numbers. */
export class Contacts implements SectionContent {
  readonly #section: Section;
  readonly #list: SectionList<Contact>;

  constructor(section: Section) {
    this.#section = section;
    this.#list = new SectionList(section, {
      name: "threepids",
      request: async (signal) => ({
        threepids: [],
        ...presentMembers(await section.account.client.getThreePids({ signal })),
      }),
      isItem: isContact,
      idOf,
      accept: (all) => this.#list.set(all.filter(({ medium }) => Object.hasOwn(MEDIA, medium))),
    });
  }

  async #remove(contact: Contact): Promise<void> {
    const section = this.#section;
    const list = this.#list;
    const { medium, address } = contact;
    await section.ask(
      () => ({ heading: this.#about("removeAsk", contact), confirm: section.term("remove") }),
      () => section.account.client.deleteThreePid(medium, address).catch(acceptGone),
      {
        at: { control: "remove", row: idOf(contact) },
        done: () => {
          // The list might have been loaded again in the meantime.
          list.set(list.items.filter((each) => idOf(each) !== idOf(contact)));
          section.report({ action: "removed", medium, address }, () =>
            this.#about("contactRemoved", contact),
          );
        },
      },
    );
  }

  /** @param refused An address to start with. */
  async #add(medium: Medium, refused?: RefusedAddress): Promise<void> {
    const section = this.#section;
    const { stage, add } = MEDIA[medium];
    const addition = new Addition(section, stage, refused);
    const { request, requestEmailToken, requestPhoneToken } = addition;
    await section.confirm(request, {
      at: { control: add },
      heading: () => section.term(add),
      done: () =>
        this.#added(medium, addition.typed.emailAddress ?? addition.typed.phoneNumber ?? ""),
      inputs: refused?.inputs,
      requestEmailToken,
      requestPhoneToken,
      refused: (error) => addition.isRefused(error),
    });
    addition.close();
    if (addition.refused) await this.#add(medium, addition.refused);
  }

  /** @param typed The address as the user typed it. */
  async #added(medium: Medium, typed: string): Promise<void> {
    const section = this.#section;
    const list = this.#list;
    const before = new Set(list.items.map(({ address }) => address));
    await section.load();
    // Homeservers change the format of phone numbers.
    const added = list.items.find((each) => each.medium === medium && !before.has(each.address));
    const { address } = added ?? { address: typed };
    section.report({ action: "added", medium, address }, () =>
      this.#about("contactAdded", { medium, address }),
    );
  }

  #about(key: "removeAsk" | "contactAdded" | "contactRemoved", contact: Contact): TemplateResult {
    return insert(this.#section.term(key), "address", this.#renderAddress(contact));
  }

  #renderAddress({ medium, address }: Contact): TemplateResult {
    const text = shortened(asShowable(address), MAX_ADDRESS_LENGTH);
    if (medium !== "msisdn") return isolated(text);
    // Homeservers omit the plus.
    const number = text.replace(/^(?=\d)/, "+");
    return phoneNumber(number, "", () => this.#section.host.requestUpdate());
  }

  render(): TemplateResult {
    const { items } = this.#list;
    return html`${items.length > 0 ? this.#list.render(items, this.#renderContact, "remove") : nothing}
      <div part="actions">${this.#renderAdd("email")} ${this.#renderAdd("msisdn")}</div>
      ${this.#section.renderError()}`;
  }

  #renderAdd(medium: Medium): TemplateResult {
    const { add } = MEDIA[medium];
    const label = this.#section.term(add);
    const onClick = (): unknown => this.#add(medium);
    const at = { control: add };
    return renderButton({ label, id: `add-${medium}`, at, onClick }, this.#section);
  }

  readonly #renderContact = (contact: Contact, index: number): TemplateResult => {
    const section = this.#section;
    const about = `contact-${index}`;
    const at = { control: "remove", row: idOf(contact) };
    const remove = renderButton(
      {
        label: section.term("remove"),
        id: `remove-${index}`,
        about,
        kind: "quiet danger",
        at,
        onClick: () => this.#remove(contact),
      },
      section,
    );
    return renderRow({
      about: html`<span part="address" id=${about}>${this.#renderAddress(contact)}</span>`,
      actions: remove,
      more: section.renderError(at.row),
    });
  };
}

const idOf = ({ medium, address }: Contact): string => `${medium} ${address}`;

/** An email address has at most 254 characters. */
const MAX_ADDRESS_LENGTH = 254;

function isContact(each: unknown): each is Contact {
  const { medium, address } = Object(each) as Partial<Contact>;
  return typeof medium === "string" && typeof address === "string";
}
