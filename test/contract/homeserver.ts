// The contract's interface to a homeserver under test.

/** The scenarios, for which each kind of homeserver has its own settings. */
export type Scenario =
  | "as it is installed"
  | "with email and login tokens"
  | "open to all"
  | "behind every gate"
  | "for a user with an email address"
  | "for a user with a phone"
  | "with limits"
  | "with tokens that soon expire"
  | "with single sign-on";

/** A homeserver under test. */
export interface HomeserverUnderTest {
  readonly baseUrl: string;
  readonly serverName: string;
  createAccount(account: Account): Promise<unknown>;
  /** A token that opens registration, in "behind every gate". */
  readonly registrationToken: string;
  /** The response that the captcha takes. */
  readonly captcha: string;
  /** How many mails came for an address. */
  mails(address: string): number;
  /** The link in the last mail to an address. */
  linkFor(address: string): Promise<string>;
  /** The code of the last text message. */
  lastCode(): string;
  setLocked(user: string, locked: boolean): Promise<void>;
  /** Forgets the sessions of user-interactive authentication. */
  forgetSessions(): Promise<void>;
  close(): Promise<void>;
}

/** What there can be one of for each test file: a kind of homeserver. */
export interface Kind {
  readonly name: "matrix-auth-elements/testing" | "Synapse";
  /** Why it cannot be tried in a scenario, for a test's `skip`. */
  skip(scenario: Scenario): string | false;
  start(scenario: Scenario): Promise<HomeserverUnderTest>;
}

export interface Account {
  readonly user: string;
  readonly password: string;
}
