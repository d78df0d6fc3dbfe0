// Dendrite in the contract of homeservers, whose responses are Synapse's.
import type { Kind, Scenario } from "../../contract/homeserver.js";
import { startDendrite } from "./dendrite.js";

/** Dendrite has a counterpart only for these scenarios. */
const SETTINGS: Partial<Record<Scenario, Readonly<Record<string, unknown>>>> = {
  "as it is installed": {},
  "open to all": { registration_disabled: false },
};

/** What Dendrite 0.13.8 has instead, and the titles of the tests that fail because of that. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  "200": [
    "rejects a device ID of 513 characters with 400 M_INVALID_PARAM",
    "rejects a device's name of 101 characters with 400 M_TOO_LARGE",
    "rejects a `refresh_token` that is not a boolean with 400 M_UNKNOWN",
    "rejects an unknown session with 400 M_UNKNOWN",
    "rejects a session that is a number with 400 M_BAD_JSON",
    "rejects a name in capitals as not available with 400 M_INVALID_USERNAME",
    "rejects an invalid name before any stage: 12345",
    "rejects a name of 10,000 characters",
    "fails when the last request omits the rest of the body",
    "is 204 for a preflight",
  ],
  "400 M_BAD_JSON": [
    "rejects a body that is not JSON with 400 M_NOT_JSON",
    "rejects an unknown stage with 400 M_UNKNOWN",
    "rejects an unknown stage without an identifier with 400 M_INVALID_PARAM",
    "rejects an `auth` that is not an object, and fails with a server error for null",
    "rejects the session with 403 after another user's password, until the user's own password is sent",
    "rejects an invalid name before any stage: xxxxxxxxxxxx",
    "rejects a name that is a number with 400 M_UNKNOWN before any stage",
    "rejects a password that is a number with 400 M_UNKNOWN before any stage",
  ],
  "400 M_INVALID_PARAM": [
    "rejects an unknown type with 400 M_UNKNOWN",
    "rejects no type with 400 M_UNKNOWN",
  ],
  "400 M_INVALID_USERNAME": ["rejects an availability without a name with 400 M_MISSING_PARAM"],
  "400 M_WEAK_PASSWORD": [
    "rejects a short password with 400 M_PASSWORD_TOO_SHORT before any stage",
  ],
  "401 M_BAD_JSON": [
    "rejects no password with 400 M_INVALID_PARAM",
    "rejects no identifier with 400 M_INVALID_PARAM",
    "rejects an unknown type of identifier with 400 M_UNKNOWN",
    "rejects an address of no account with 403 M_FORBIDDEN",
  ],
  "401 M_INVALID_USERNAME": ["rejects a user of another server with 403 M_FORBIDDEN"],
  "403 M_FORBIDDEN": [
    "rejects no login token with 400 M_UNKNOWN",
    "rejects the profile of another user",
    "binds a session to its request",
    "rejects a guest with 403 M_UNKNOWN",
  ],
  "404 M_FORBIDDEN": ["rejects a name for an unknown device with 404 M_NOT_FOUND"],
  "404 M_UNRECOGNIZED": [
    "rejects a validity without a token with 400 M_MISSING_PARAM",
    "can be used again until the new token is used",
    "are 403 M_FORBIDDEN once the new access token has been used",
    "are 401 M_UNKNOWN_TOKEN once the new refresh token has been used",
    "end at sign-out",
    "rejects an unknown refresh token with 401 M_UNKNOWN_TOKEN",
    "rejects no refresh token with 400 M_MISSING_PARAM",
    "rejects a refresh token that is a number with 400 M_INVALID_PARAM",
    "signs out all of the user's devices, and no other user's, with POST /logout/all",
  ],
  "no refresh tokens": [
    "are returned with the access token's lifetime if the sign-in requests them",
    "are exchanged for new tokens of the same device",
  ],
  "the stages before it reads the rest of the request": [
    "rejects no list of devices with 400 M_MISSING_PARAM",
    "rejects devices that are not a list with 400 M_BAD_JSON",
    "rejects devices that are numbers with 400 M_BAD_JSON",
    "rejects a password of 513 characters with 400 M_BAD_JSON",
    "rejects an `erase` that is not a boolean with 400 M_BAD_JSON",
    "rejects a taken name before any stage",
    "rejects an invalid name before any stage: ",
    "rejects another kind with 400 M_UNRECOGNIZED",
  ],
  "the password for the first cross-signing keys, and for the same keys, too": [
    "of the library are accepted: the first without a password, new ones with it",
    "need no password when they are the same",
    "can be missing, at the stable and the unstable path",
    "are rejected when they are another user's, or not signed by the master key",
  ],
  "an `auth` only with a type that is in a flow": [
    'starts with 401, flows, params and a session when the body is {"auth":{}}',
    "reports the missing stages when only the session is given",
    "completes a stage that is in no flow, and requests the others",
  ],
  "sessions with other IDs, and none for a first attempt without one": [
    "starts with 401, flows, params and a session when the body is undefined",
    "starts with 401, flows, params and a session when the body is {}",
    "starts a session with the first attempt without one",
  ],
  "another error before the password is requested again": [
    "requests the password again after the password of a user of another server",
    "requests the password again after the password of an address of no account",
  ],
  "sessions that end when they are completed": [
    "accepts a completed session again for the same request",
  ],
  "the device of the account's creation": [
    "are listed, with the time and IP address of their last use",
    "are signed out when several are deleted together, and others stay signed in",
  ],
  "IDs of devices with small letters": ["returns a token, a device, and the homeserver's URL"],
  "the last name of a device": ["keep their name when a user signs in to one again"],
  "the same tokens for the same request": [
    "creates a second device, but no second account, when the last request is sent twice",
  ],
  "an empty list of completed stages at the start": ["requires only a dummy stage"],
  "no `home_server`": [
    "creates an account with the device that was requested",
    "returns no token when `inhibit_login` is set",
  ],
  "no `soft_logout`": ["ends at sign-out, without a soft logout"],
  "no `id_server_unbind_result`": ["deactivates an account with its token and its password"],
  "profiles without members": ["has the name that the user sets, and no name after an empty one"],
  "no locked users": [
    "rejects a locked user with 401 M_USER_LOCKED, but allows refreshes and sign-out",
  ],
  "versions up to v1.2": ["announces versions from r0.0.1 up to v1.12"],
  "a base URL without a slash": ["has a well-known file that any page can read"],
  "CORS headers without HEAD, Synapse's names, and the like": [
    "can be read by a page of any origin: a success",
    "can be read by a page of any origin: an error",
    "can be read by a page of any origin: an unknown path",
    "can be read by a page of any origin: a preflight",
    "can be read by a page of any origin: a preflight of an unknown path",
  ],
  "no Cache-Control": ["is JSON that isn't cached, including errors"],
};

const missing = (what: string) => () => Promise.reject(new Error(`Dendrite has no ${what}`));

export const dendrite: Kind = {
  name: "Dendrite",
  skip: (scenario) => SETTINGS[scenario] === undefined && "Dendrite has no such setting",
  async start(scenario) {
    return {
      ...(await startDendrite(SETTINGS[scenario])),
      registrationToken: "",
      captcha: "",
      mails: () => 0,
      linkFor: missing("email"),
      lastCode: () => "",
      setLocked: missing("locked users"),
      forgetSessions: missing("way to forget sessions"),
    };
  },
  differences: new Map(
    Object.entries(DIFFERENCES).flatMap(([what, titles]) =>
      titles.map((title) => [title, what] as const),
    ),
  ),
};
