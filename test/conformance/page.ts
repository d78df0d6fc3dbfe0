// The page of the HTTP tier, on the built core: Node calls what `conformance` has.
import { complete, start } from "./login-steps.js";
import { live, signInByDevice } from "./session-steps.js";

/** What Node calls. */
type Steps = Readonly<Record<string, (...given: never[]) => unknown>>;

const unexpected: string[] = [];
addEventListener("error", ({ message }) => unexpected.push(message));
addEventListener("unhandledrejection", ({ reason }) => unexpected.push(String(reason)));

/** What nobody caught, and what a prototype has that no row may give it. */
function report(): readonly string[] {
  const inherited: string[] = [];
  for (const name in {}) inherited.push(name);
  return [...unexpected, ...inherited];
}

/** Calls a step in its own page, which has nothing to do with any other. */
const apart =
  (step: string) =>
  async (...given: readonly never[]): Promise<unknown> => {
    const frame = document.createElement("iframe");
    frame.src = location.href;
    const loaded = new Promise((done) => frame.addEventListener("load", done));
    document.body.append(frame);
    await loaded;
    const { conformance } = frame.contentWindow as unknown as { readonly conformance: Steps };
    const outcome = await conformance[step]?.(...given);
    // Uncaught errors are known a task later.
    await new Promise((done) => setTimeout(done));
    unexpected.push(...(conformance["report"]?.() as readonly string[]));
    frame.remove();
    return outcome;
  };

/** Of the token responses that are kept for another try a page keeps few, and other rows leave some. */
const completeInTurn: typeof complete = async (address, state, settings) =>
  settings.tries === undefined
    ? complete(address, state, settings)
    : ((await apart("complete")(address as never, state as never, settings as never)) as never);

const steps =
  window === top
    ? {
        start,
        complete: completeInTurn,
        live: apart("live"),
        signInByDevice: apart("signInByDevice"),
      }
    : { complete, live, signInByDevice };

Object.assign(globalThis, { conformance: { ...steps, report } });
