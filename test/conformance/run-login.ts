import { createEnvironment, type Environment } from "./environment.js";
import type { Failure, Finished, LoginSettings, Start } from "./login-steps.js";
import type * as loginSteps from "./login-steps.js";
import type { Network } from "./network.js";
import type { Deviation } from "./row.js";
import type * as sessionSteps from "./session-steps.js";
import type { SessionRun } from "./session-steps.js";

/** The page's steps. */
export type Steps = Pick<typeof loginSteps, "start" | "complete"> &
  Pick<typeof sessionSteps, "live" | "signInByDevice">;

/** The environment of the sign-ins: this page, or a browser that Node drives. */
export interface Tier {
  readonly network: Network;
  /** The app's origin. */
  readonly app: string;
  readonly steps: Steps;
}

/** How a sign-in ended. */
export interface LoginResult {
  readonly environment: Environment;
  readonly outcome: Finished | Failure;
  /** The origins that the caller allowed. */
  readonly allowed: readonly string[];
  /** `undefined` if the sign-in was rejected before it had one. */
  readonly codeVerifier: string | undefined;
  /** The page's waits, in milliseconds, if they were shortened. */
  readonly waits?: readonly number[];
}

/** The outcome of a row on a session. */
export interface SessionResult {
  readonly environment: Environment;
  readonly run: SessionRun;
  /** The requests since the sign-in. */
  readonly requests: Environment["requests"];
}

/** Runs one whole sign-in. */
export async function runLogin(
  { network, app, steps }: Tier,
  deviation: Deviation,
): Promise<LoginResult> {
  const environment = createEnvironment(network, app, deviation);
  const settings: LoginSettings = settingsOf(deviation.login, environment);
  if (settings.clientId) environment.idp.addClient(settings.clientId, [environment.redirectUri]);
  const beginning: Start = {
    ...(settings.issuer === undefined && {
      homeserver: new URL(environment.homeserver.origin).host,
    }),
    clientUri: app,
    ...settings,
    redirectUri: environment.redirectUri,
  };
  const allowed = settings.allowedOrigins ?? [];
  if (settings.byDevice) {
    const outcome = await steps.signInByDevice(beginning);
    return { environment, allowed, outcome, codeVerifier: undefined, waits: outcome.waits };
  }
  const begun = await steps.start(beginning);
  if (!begun.ok) return { environment, allowed, outcome: begun, codeVerifier: undefined };
  const { url, state, codeVerifier } = begun;
  const callbackUrl = await followToCallback(network, url, app);
  const complete = (): Promise<Finished | Failure> => steps.complete(callbackUrl, state, settings);
  let outcome = await complete();
  if (outcome.ok && settings.replayed) outcome = await complete();
  return { environment, allowed, outcome, codeVerifier };
}

/** Runs an honest sign-in, and the page's actions with its session. */
export async function runSession(tier: Tier, deviation: Deviation): Promise<SessionResult> {
  const { environment, outcome } = await runLogin(tier, deviation);
  if (!outcome.ok) throw new Error(`The login itself failed: ${outcome.texts}`);
  const before = environment.requests.length;
  const settings = settingsOf(deviation.session, environment);
  const key = new URL(environment.homeserver.origin).host;
  const run = await tier.steps.live(outcome.result, key, settings);
  return { environment, run, requests: environment.requests.slice(before) };
}

const settingsOf = <T extends object>(
  settings: T | ((environment: Environment) => T) | undefined,
  environment: Environment,
): T | Record<string, never> =>
  typeof settings === "function" ? settings(environment) : (settings ?? {});

/** Follows redirects as the user's browser would, until the next URL is the app's. */
async function followToCallback(network: Network, start: string, app: string): Promise<string> {
  let url = start;
  for (let hops = 0; hops < 5; hops++) {
    const { status, location, body } = await network.navigate(url);
    if (location === undefined) throw new Error(`${url} responds with ${status}: ${body}`);
    url = new URL(location, url).href;
    if (new URL(url).origin === app) return url;
  }
  throw new Error(`${url} leads nowhere`);
}
