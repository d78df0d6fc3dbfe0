import { presentMembers } from "../../../core/http/json.js";
import type { AuthDict, IInputs } from "../../../core/index.js";
import { MatrixError } from "../../../core/matrix/error.js";
import { validationSession } from "../../../core/uia/email-validation.js";
import { readFailure } from "../../../core/uia/failure.js";
import { type AuthFlow, AuthType } from "../../../core/uia/options.js";
import type { CodedError } from "../../../errors/lazy/error-text.js";
import { acceptGone, isSessionOver } from "./errors.js";
import { readList, SectionList } from "./list.js";
import type { Section } from "./section.js";

export interface Contact {
  readonly medium: string;
  readonly address: string;
}

/** The kinds of addresses, with the stage that validates each, and the text of its button. */
export const MEDIA = {
  email: { stage: AuthType.Email, add: "emailAdd" },
  msisdn: { stage: AuthType.Msisdn, add: "phoneAdd" },
} as const;

export type Medium = keyof typeof MEDIA;

/** The user's input, and the homeserver's reason to reject it. */
interface RefusedAddress {
  readonly inputs: IInputs;
  readonly error: CodedError;
}

/** Lets the user add and remove email addresses and phone numbers. */
export class Contacts {
  readonly section: Section;
  readonly list: SectionList<Contact>;
  #removing: Contact | undefined;

  constructor(section: Section) {
    this.section = section;
    this.list = new SectionList(section, (signal) => this.#fetch(signal));
  }

  /** Whether the address is about to be removed. */
  isRemoving(contact: Contact): boolean {
    return this.#removing !== undefined && isSame(this.#removing, contact);
  }

  /**
   * Asks the user to confirm that an address is removed, because the homeserver does not ask.
   *
   * @param contact Undefined: ends the question.
   * @param focused The ID of the element that gets the focus.
   */
  ask(contact: Contact | undefined, focused: string): void {
    this.#removing = contact;
    this.section.focus(focused);
  }

  async remove(contact: Contact): Promise<void> {
    const { section, list } = this;
    const { medium, address } = contact;
    const remove = async (): Promise<void> => {
      await section.account.client.deleteThreePid(medium, address).catch(acceptGone);
    };
    await section.change(remove, {
      done: () => {
        // The list might have been loaded again in the meantime.
        list.set(list.items.filter((each) => !isSame(each, contact)));
        this.#removing = undefined;
        const notice = section.term("contactRemoved").replace("{address}", () => shown(contact));
        section.report({ action: "removed", medium, address }, notice);
      },
    });
  }

  /**
   * Adds an address in the dialog. It adds a stage to those of the homeserver, which asks for the
   * password before it checks whether the address is confirmed.
   *
   * @param refused An address to start with.
   */
  async add(medium: Medium, refused?: RefusedAddress): Promise<void> {
    const { client } = this.section.account;
    const { stage, add } = MEDIA[medium];
    let typed: IInputs = {};
    let validation: { readonly sid: string; readonly client_secret: string } | undefined;
    let flows: readonly AuthFlow[] = [{ stages: [stage] }];
    /** The added stage once it is completed. A correct code shows that it is; a poll does not. */
    let own: readonly string[] = [];

    const request = async (auth: AuthDict | null, background: boolean): Promise<unknown> => {
      if (!validation) throw challenge({ flows });
      const { type, session } = auth ?? {};
      const known = session === undefined ? null : { session };
      if (type === stage && !background) own = [stage];
      try {
        return await client.addThreePidOnly({ ...validation, auth: type === stage ? known : auth });
      } catch (error) {
        const { errcode, challenge: asked } = readFailure(error);
        if (asked) {
          flows = asked.flows.map(({ stages }) => ({ stages: [...stages, stage] }));
          throw challenge({ ...asked, flows, completed: [...(asked.completed ?? []), ...own] });
        }
        if (errcode !== "M_THREEPID_AUTH_FAILED") throw error;
        const others = flows.flatMap(({ stages }) => stages).filter((each) => each !== stage);
        throw challenge({ flows, completed: others });
      }
    };
    /** The dialog shows the reason if no message was sent. If the session is over, the dialog is gone. */
    const send = async <Response>(
      inputs: IInputs,
      client_secret: string,
      run: () => Promise<Response>,
    ): Promise<Response> => {
      const { error: earlier } = refused ?? {};
      refused = undefined;
      if (earlier) throw earlier;
      typed = inputs;
      try {
        const response = await run();
        validation = { sid: validationSession(response), client_secret };
        // The dialog must have the response before it polls.
        setTimeout(() => this.section.controller.pollDialog());
        return response;
      } catch (error) {
        if (isOpen) this.section.reportFailure(error);
        throw error;
      }
    };
    let isOpen = true;
    let next: RefusedAddress | undefined;
    await this.section.confirm(request, {
      heading: this.section.term(add),
      done: () => this.#added(medium, typed.emailAddress ?? typed.phoneNumber ?? ""),
      inputs: refused?.inputs,
      requestEmailToken: (emailAddress, secret, attempt) =>
        send({ emailAddress }, secret, () =>
          client.requestAdd3pidEmailToken(emailAddress, secret, attempt),
        ),
      requestPhoneToken: (phoneCountry, phoneNumber, secret, attempt) =>
        send({ phoneCountry, phoneNumber }, secret, () =>
          client.requestAdd3pidMsisdnToken(phoneCountry, phoneNumber, secret, attempt),
        ),
      refused: (error) => {
        const isRefusal = validation && error instanceof MatrixError && !isSessionOver(error);
        if (isRefusal) next = { inputs: typed, error };
        return next !== undefined;
      },
    });
    isOpen = false;
    if (next) await this.add(medium, next);
  }

  /** @param typed The address as the user typed it. */
  async #added(medium: Medium, typed: string): Promise<void> {
    const { section, list } = this;
    const before = new Set(list.items.map(({ address }) => address));
    await section.load();
    // Homeservers change the format of phone numbers.
    const added = list.items.find((each) => each.medium === medium && !before.has(each.address));
    const { address } = added ?? { address: typed };
    const notice = section
      .term("contactAdded")
      .replace("{address}", () => shown({ medium, address }));
    section.report({ action: "added", medium, address }, notice);
  }

  async #fetch(signal: AbortSignal): Promise<readonly Contact[]> {
    const response = await this.section.account.client.getThreePids({ signal });
    const contacts = readList(
      { threepids: [], ...presentMembers(response) },
      "threepids",
      isContact,
    ).filter(({ medium }) => Object.hasOwn(MEDIA, medium));
    return [...new Map(contacts.map((each) => [each.medium + each.address, each])).values()];
  }
}

const isSame = (one: Contact, other: Contact): boolean =>
  one.medium === other.medium && one.address === other.address;

/** A homeserver's response that requires stages. */
const challenge = (body: object): MatrixError => new MatrixError({ status: 401, body });

/** An email address has at most 254 characters. */
const MAX_ADDRESS_LENGTH = 254;

/** Adds the plus, which homeservers omit from phone numbers. */
export function shown({ medium, address }: Contact): string {
  const text = medium === "msisdn" && /^\d/.test(address) ? `+${address}` : address;
  return text.length > MAX_ADDRESS_LENGTH ? `${text.slice(0, MAX_ADDRESS_LENGTH)}…` : text;
}

function isContact(each: unknown): each is Contact {
  const { medium, address } = Object(each) as Partial<Contact>;
  return typeof medium === "string" && typeof address === "string";
}
