import { UiaError } from "../../../core/uia/errors.js";
import type { RespondableEvent } from "../../../events/base.js";
import {
  UiaDoRequestEvent,
  UiaRequestEmailTokenEvent,
  UiaRequestPhoneTokenEvent,
} from "../../../events/uia.js";
import type {
  DialogHost,
  DoRequest,
  RequestEmailToken,
  RequestPhoneToken,
} from "../dialog-host.js";

/** The requests that a page makes. */
export interface DialogRequests {
  readonly doRequest: DoRequest;
  readonly requestEmailToken: RequestEmailToken;
  readonly requestPhoneToken: RequestPhoneToken;
}

/** A page makes them with its functions, else with its listeners: those that it has when the run begins. */
export function dialogRequests(
  host: DialogHost,
  doRequest = host.doRequest,
  { requestEmailToken, requestPhoneToken } = host,
): DialogRequests {
  const ask = async <Response>(event: RespondableEvent<Response>): Promise<Response> => {
    host.dispatchEvent(event);
    if (!event.response) throw new UiaError("no_handler", `Nobody handles ${event.type}`);
    return event.response;
  };
  return {
    doRequest: async (authData, background) =>
      doRequest
        ? doRequest(authData, background)
        : ask(new UiaDoRequestEvent({ authData, background })),
    requestEmailToken: async (email, secret, attempt, session) =>
      requestEmailToken
        ? requestEmailToken(email, secret, attempt, session)
        : ask(new UiaRequestEmailTokenEvent({ email, secret, attempt, session })),
    requestPhoneToken: async (country, phone, secret, attempt, session) =>
      requestPhoneToken
        ? requestPhoneToken(country, phone, secret, attempt, session)
        : ask(new UiaRequestPhoneTokenEvent({ country, phone, secret, attempt, session })),
  };
}
