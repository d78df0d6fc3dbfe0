import type { AccountClient } from "../../context/auth-client.js";
import type { IInputs } from "../../core/index.js";
import { MatrixError } from "../../core/matrix/error.js";
import { validationSession } from "../../core/uia/email-validation.js";
import { readFailure } from "../../core/uia/failure.js";
import type { AuthFlow } from "../../core/uia/options.js";
import type { CodedError } from "../../errors/coded-error.js";
import type { DoRequest, RequestEmailToken, RequestPhoneToken } from "../uia-dialog/options.js";
import { isSessionOver } from "./errors.js";
import type { Section } from "./section.js";

/** The user's input, and the homeserver's reason to reject it. */
export interface RefusedAddress {
  readonly inputs: IInputs;
  readonly error: CodedError;
}

/**
 * Adds an address to the account, in the dialog. It adds a stage to those of the homeserver, which
 * asks for the password before it checks whether the address is confirmed.
 */
export class Addition {
  readonly #section: Section;
  /** The added stage. */
  readonly #stage: string;
  /** Why the last address was rejected, until the dialog shows it. */
  #earlier: CodedError | undefined;
  /** The address as the user typed it. */
  #typed: IInputs = {};
  #validation: { readonly sid: string; readonly client_secret: string } | undefined;
  #flows: readonly AuthFlow[];
  /** The added stage, once it is completed. A correct code completes it; a poll does not. */
  #completed: readonly string[] = [];
  #refused: RefusedAddress | undefined;
  #isOpen = true;

  /** @param refused An address to start with. */
  constructor(section: Section, stage: string, refused: RefusedAddress | undefined) {
    this.#section = section;
    this.#stage = stage;
    this.#flows = [{ stages: [stage] }];
    this.#earlier = refused?.error;
  }

  get typed(): IInputs {
    return this.#typed;
  }

  /** The address that the homeserver has rejected, although the user has confirmed it. */
  get refused(): RefusedAddress | undefined {
    return this.#refused;
  }

  /** The protected request. */
  readonly request: DoRequest = async (auth, background) => {
    if (!this.#validation) throw challenge({ flows: this.#flows });
    const { type, session } = auth ?? {};
    const isOwn = type === this.#stage;
    if (isOwn && !background) this.#completed = [this.#stage];
    const given = !isOwn ? auth : session === undefined ? null : { session };
    try {
      return await this.#client.addThreePidOnly({ ...this.#validation, auth: given });
    } catch (error) {
      throw this.#asChallenge(error);
    }
  };

  get #client(): AccountClient {
    return this.#section.account.client;
  }

  /** A response that requires stages, with the added one. */
  #asChallenge(error: unknown): unknown {
    const { errcode, challenge: asked } = readFailure(error);
    if (asked) {
      this.#flows = asked.flows.map(({ stages }) => ({ stages: [...stages, this.#stage] }));
      const completed = [...(asked.completed ?? []), ...this.#completed];
      return challenge({ ...asked, flows: this.#flows, completed });
    }
    if (errcode !== "M_THREEPID_AUTH_FAILED") return error;
    const stages = this.#flows.flatMap((flow) => flow.stages);
    return challenge({
      flows: this.#flows,
      completed: stages.filter((each) => each !== this.#stage),
    });
  }

  readonly requestEmailToken: RequestEmailToken = (emailAddress, secret, attempt) =>
    this.#send({ emailAddress }, secret, () =>
      this.#client.requestAdd3pidEmailToken(emailAddress, secret, attempt),
    );

  readonly requestPhoneToken: RequestPhoneToken = (phoneCountry, phoneNumber, secret, attempt) =>
    this.#send({ phoneCountry, phoneNumber }, secret, () =>
      this.#client.requestAdd3pidMsisdnToken(phoneCountry, phoneNumber, secret, attempt),
    );

  /** The dialog shows the reason if no message was sent. If the session is over, the dialog is gone. */
  async #send<Response>(
    inputs: IInputs,
    client_secret: string,
    run: () => Promise<Response>,
  ): Promise<Response> {
    const earlier = this.#earlier;
    this.#earlier = undefined;
    if (earlier) throw earlier;
    this.#typed = inputs;
    try {
      const response = await run();
      this.#validation = { sid: validationSession(response), client_secret };
      // The dialog must have the response before it polls.
      setTimeout(() => this.#section.controller.pollDialog());
      return response;
    } catch (error) {
      if (this.#isOpen) this.#section.reportFailure(error);
      throw error;
    }
  }

  /** Whether the homeserver rejects the address after the user has confirmed it. */
  isRefused(error: CodedError): boolean {
    const isRefusal = this.#validation && error instanceof MatrixError && !isSessionOver(error);
    if (isRefusal) this.#refused = { inputs: this.#typed, error };
    return this.#refused !== undefined;
  }

  /** The dialog is closed. */
  close(): void {
    this.#isOpen = false;
  }
}

/** The error that a homeserver's 401 with stages would cause. */
const challenge = (body: object): MatrixError => new MatrixError({ status: 401, body });
