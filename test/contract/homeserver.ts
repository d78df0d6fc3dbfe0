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
  /** The response that the captcha accepts. */
  readonly captcha: string;
  /** The number of emails that were sent to an address. */
  mails(address: string): number;
  /** The link in the last email to an address. */
  linkFor(address: string): Promise<string>;
  /** The code of the last text message. */
  lastCode(): string;
  setLocked(user: string, locked: boolean): Promise<void>;
  /** Forgets the sessions of user-interactive authentication. */
  forgetSessions(): Promise<void>;
  close(): Promise<void>;
}

/** A kind of homeserver. A test file can have one of each. */
export interface Kind {
  readonly name: "matrix-auth-elements/testing" | "Synapse" | "Dendrite";
  /** What it has instead, by the title of a test that fails because of that. */
  readonly differences?: ReadonlyMap<string, string>;
  /** Receives the title of each test. */
  readonly onTest?: (title: string) => void;
  /** The reason to skip a scenario, for a test's `skip`. */
  skip(scenario: Scenario): string | false;
  start(scenario: Scenario): Promise<HomeserverUnderTest>;
}

export interface Account {
  readonly user: string;
  readonly password: string;
}
