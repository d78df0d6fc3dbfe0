import { after, afterEach, before, beforeEach } from "node:test";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { startBrowser } from "./driver/engine.js";

/** The browser of all test files in this process. */
let browser: Promise<Driver> | undefined;
const sharedBrowser = (): Promise<Driver> => (browser ??= startBrowser());

/** A browser for the tests of a suite, with a profile for each. */
export interface Browser {
  readonly driver: Driver;
  readonly profile: Profile;
}

export function useBrowser(): Browser {
  let driver: Driver;
  let profile: Profile;
  before(async () => void (driver = await sharedBrowser()));
  beforeEach(async () => void (profile = await driver.newProfile()));
  afterEach(() => profile.close());
  return {
    get driver() {
      return driver;
    },
    get profile() {
      return profile;
    },
  };
}

interface Servers {
  /** Clears the faults and the logged requests before each test. */
  reset(): void;
  close(): Promise<void>;
}

interface Fixture<Bed> {
  readonly driver: Driver;
  readonly bed: Bed;
  readonly profile: Profile;
  readonly tab: Tab;
}

/** A suite shares the slow parts. Each test has its own copy of the parts that it changes. */
interface Sharing {
  readonly servers: "per suite" | "per test";
  /** A profile may be shared if the servers are not, because each test's pages then have another origin. */
  readonly profile: "per suite" | "per test";
}

/**
 * Starts servers and a browser's profile for the tests of a suite.
 *
 * @param assign Called before each test.
 */
export function useFixture<Bed extends Servers>(
  sharing: Sharing,
  start: () => Promise<Bed>,
  assign: (fixture: Fixture<Bed>) => void,
): void {
  let driver: Driver;
  let bed: Bed;
  let profile: Profile;
  let tab: Tab;
  const startServers = async (): Promise<void> => void (bed = await start());
  const closeServers = (): Promise<void> => bed.close();
  const openProfile = async (): Promise<void> => {
    profile = await driver.newProfile();
    tab = await profile.newTab();
  };
  const closeProfile = (): Promise<void> => profile.close();
  const opened: Tab[] = [];
  const newTab = async (): Promise<Tab> => {
    const another = await profile.newTab();
    opened.push(another);
    return another;
  };

  before(async () => void (driver = await sharedBrowser()));
  if (sharing.servers === "per suite") before(startServers);
  else beforeEach(startServers);
  if (sharing.profile === "per suite") before(openProfile);
  else beforeEach(openProfile);
  beforeEach(() => {
    bed.reset();
    tab.warnings.length = 0;
    assign({ driver, bed, profile: { ...profile, newTab }, tab });
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) if (!each.isClosed()) await each.close();
  });
  if (sharing.profile === "per suite") after(closeProfile);
  else afterEach(closeProfile);
  if (sharing.servers === "per suite") after(closeServers);
  else afterEach(closeServers);
}

after(async () => (await browser)?.close());
