import {
  isText,
  parseTrustworthyUrl,
  requestJson,
  type JsonObject,
  type RequestOptions,
} from "../http/index.js";
import type {
  AddThreePidOnlyBody,
  BindThreePidBody,
  EmailTokenRequest,
  MsisdnTokenRequest,
  RequestTokenResponse,
  ThreePids,
  TokenRequest,
  UnbindResult,
} from "./api-types.js";
import {
  HomeserverConnection,
  requireMember,
  isListWith,
  isString,
} from "./homeserver-connection.js";
import { MatrixError, bodyOrThrow } from "./matrix-error.js";

/**
 * Submits the code from a message to the address that the homeserver gave for it; never with the access
 * token.
 *
 * @param url the `submit_url` from the response to the request for the message.
 * @param body `token` is the code, as the user typed it.
 * @throws {MatrixError} `M_TOKEN_INCORRECT` if the code is wrong.
 * @throws {TypeError} if `url` is not an https URL.
 * @see https://spec.matrix.org/v1.19/identity-service-api/#post_matrixidentityv2validatemsisdnsubmittoken
 */
export async function submitMsisdnToken(
  url: string,
  body: { readonly sid: string; readonly client_secret: string; readonly token: string },
  options?: RequestOptions,
): Promise<JsonObject> {
  if (!parseTrustworthyUrl(url)) throw new TypeError("submit_url is not an https URL");
  const request = { method: "POST", body, redirect: "manual" } as const;
  const response = bodyOrThrow(await requestJson(url, request, options));
  if (response["success"] !== false) return response;
  throw new MatrixError({
    status: 200,
    headers: new Headers(),
    body: { errcode: "M_TOKEN_INCORRECT", error: "The code is not the right one", ...response },
  });
}

/** Email addresses and phone numbers: validating, adding and removing them. */
export class ThreePidClient extends HomeserverConnection {
  /**
   * Lists the account's email addresses and phone numbers; each has `medium` and `address`.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3account3pid
   */
  getThreePids(options?: RequestOptions): Promise<ThreePids> {
    return this.request("GET", "v3/account/3pid", undefined, options).then(
      requireMember("threepids", isListWith("address")),
    );
  }

  /**
   * Adds a validated email address or phone number to the account.
   *
   * @throws {MatrixError} 401 with `flows` if the homeserver asks for User-Interactive Authentication.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidadd
   */
  addThreePidOnly(
    { sid, client_secret, auth }: AddThreePidOnlyBody,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    return this.request("POST", "v3/account/3pid/add", { sid, client_secret, auth }, options);
  }

  /**
   * Removes an email address or a phone number from the account.
   *
   * @param medium `email` or `msisdn`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3piddelete
   */
  deleteThreePid(medium: string, address: string, options?: RequestOptions): Promise<JsonObject> {
    return this.request("POST", "v3/account/3pid/delete", { medium, address }, options);
  }

  /**
   * Has an identity server publish an email address or a phone number that it has validated.
   *
   * @param body `sid` and `client_secret` are the identity server's own, not those for {@link addThreePidOnly}.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidbind
   */
  bindThreePid(
    { sid, client_secret, id_server, id_access_token }: BindThreePidBody,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const body = { sid, client_secret, id_server, id_access_token };
    return this.request("POST", "v3/account/3pid/bind", body, options);
  }

  /**
   * Has the identity server that published an email address or a phone number remove it; it stays with the account.
   *
   * @param medium `email` or `msisdn`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidunbind
   */
  unbindThreePid(medium: string, address: string, options?: RequestOptions): Promise<UnbindResult> {
    return this.request("POST", "v3/account/3pid/unbind", { medium, address }, options).then(
      requireMember("id_server_unbind_result", isString),
    );
  }

  /**
   * Requests an email that validates the address of a new account.
   *
   * @throws {MatrixError} for example `M_THREEPID_IN_USE`, `M_THREEPID_DENIED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3registeremailrequesttoken
   */
  requestRegisterEmailToken(...args: EmailTokenRequest): Promise<RequestTokenResponse> {
    return this.#mail("register", args);
  }

  /**
   * Requests a text message that validates the phone number of a new account.
   *
   * @throws {MatrixError} for example `M_THREEPID_IN_USE`, `M_THREEPID_DENIED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3registermsisdnrequesttoken
   */
  requestRegisterMsisdnToken(...args: MsisdnTokenRequest): Promise<RequestTokenResponse> {
    return this.#message("register", args);
  }

  /**
   * Requests an email that validates an address to be added to the account.
   *
   * @throws {MatrixError} for example `M_THREEPID_IN_USE`, `M_THREEPID_DENIED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidemailrequesttoken
   */
  requestAdd3pidEmailToken(...args: EmailTokenRequest): Promise<RequestTokenResponse> {
    return this.#mail("account/3pid", args);
  }

  /**
   * Requests a text message that validates a phone number to be added to the account.
   *
   * @throws {MatrixError} for example `M_THREEPID_IN_USE`, `M_THREEPID_DENIED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidmsisdnrequesttoken
   */
  requestAdd3pidMsisdnToken(...args: MsisdnTokenRequest): Promise<RequestTokenResponse> {
    return this.#message("account/3pid", args);
  }

  /**
   * Requests an email with which a forgotten password can be reset.
   *
   * @throws {MatrixError} for example `M_THREEPID_NOT_FOUND`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3accountpasswordemailrequesttoken
   */
  requestPasswordEmailToken(...args: EmailTokenRequest): Promise<RequestTokenResponse> {
    return this.#mail("account/password", args);
  }

  /**
   * Requests a text message with which a forgotten password can be reset.
   *
   * @throws {MatrixError} for example `M_THREEPID_NOT_FOUND`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3accountpasswordmsisdnrequesttoken
   */
  requestPasswordMsisdnToken(...args: MsisdnTokenRequest): Promise<RequestTokenResponse> {
    return this.#message("account/password", args);
  }

  /**
   * Submits the code from a message to the address that the homeserver gave for it; never with the access
   * token.
   *
   * @param url the `submit_url` from the response to the request for the message.
   * @param token the code, as the user typed it.
   * @throws {MatrixError} `M_TOKEN_INCORRECT` if the code is wrong.
   * @throws {TypeError} if `url` is not an https URL.
   * @see https://spec.matrix.org/v1.19/identity-service-api/#post_matrixidentityv2validatemsisdnsubmittoken
   */
  submitMsisdnTokenOtherUrl(
    url: string,
    sid: string,
    clientSecret: string,
    token: string,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const body = { sid, client_secret: clientSecret, token };
    return submitMsisdnToken(url, body, this.complete(options));
  }

  #mail(what: string, [email, ...rest]: EmailTokenRequest): Promise<RequestTokenResponse> {
    return this.#requestToken(`${what}/email`, { email }, rest);
  }

  #message(
    what: string,
    [country, phone_number, ...rest]: MsisdnTokenRequest,
  ): Promise<RequestTokenResponse> {
    return this.#requestToken(`${what}/msisdn`, { country, phone_number }, rest);
  }

  /** The specification requires no access token here, so none is sent. */
  async #requestToken(
    what: string,
    contact: JsonObject,
    [client_secret, send_attempt, next_link, options]: TokenRequest,
  ): Promise<RequestTokenResponse> {
    const request = { ...contact, client_secret, send_attempt, next_link };
    const path = `v3/${what}/requestToken`;
    const response = await this.request("POST", path, request, options, true).then(
      requireMember("sid", isText),
    );
    const { submit_url } = response;
    return { ...response, submit_url: isText(submit_url) ? submit_url : undefined };
  }
}
