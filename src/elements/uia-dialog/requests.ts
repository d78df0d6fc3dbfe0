import { UiaError } from "../../core/uia/errors.js";
import { readFailure } from "../../core/uia/failure.js";
import { asClientError } from "../../errors/client-error.js";
import { explain } from "../../errors/explain-error.js";
import type { RespondableEvent } from "../../events/base.js";
import {
  UiaDoRequestEvent,
  UiaRequestEmailTokenEvent,
  UiaRequestPhoneTokenEvent,
} from "../../events/uia.js";
import { assertOneAccount } from "./one-account.js";
import type { DialogCall, DoRequest, RequestEmailToken, RequestPhoneToken } from "./options.js";
import type { UiaDialogElement } from "./uia-dialog.js";

interface Requests {
  readonly doRequest: DoRequest;
  readonly requestEmailToken: NonNullable<RequestEmailToken>;
  readonly requestPhoneToken: RequestPhoneToken;
}

/**
 * The functions that send requests: those of the call, otherwise the page's listeners. They send
 * nothing after the account has changed.
 */
export function requestsOf(host: UiaDialogElement, call: DialogCall): Requests {
  const ask = async <Response>(event: RespondableEvent<Response>): Promise<Response> => {
    host.dispatchEvent(event);
    if (event.response) return event.response;
    throw new UiaError("no_handler", `No function or listener handles ${event.type}`);
  };
  const forOneAccount =
    <Parameters extends unknown[], Response>(send: (...given: Parameters) => Promise<Response>) =>
    async (...given: Parameters): Promise<Response> => {
      assertOneAccount(call);
      try {
        return await send(...given);
      } catch (error) {
        if (readFailure(error).errcode === "unexpected")
          explain((each) => each.explainError(asClientError(error)));
        throw error;
      }
    };
  return {
    doRequest: forOneAccount(
      call.doRequest ??
        ((authData, background) => ask(new UiaDoRequestEvent({ authData, background }))),
    ),
    requestEmailToken: forOneAccount(
      call.requestEmailToken ??
        ((email, secret, attempt, session) =>
          ask(new UiaRequestEmailTokenEvent({ email, secret, attempt, session }))),
    ),
    requestPhoneToken: forOneAccount(
      call.requestPhoneToken ??
        ((country, phone, secret, attempt, session) =>
          ask(new UiaRequestPhoneTokenEvent({ country, phone, secret, attempt, session }))),
    ),
  };
}
