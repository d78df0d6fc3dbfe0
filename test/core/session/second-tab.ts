import { OidcSession } from "matrix-auth-elements/core";

declare global {
  interface Window {
    /** The session class of this window's own copy of the library. */
    SecondTabSession?: typeof OidcSession;
  }
}

window.SecondTabSession = OidcSession;
