// The page of the HTTP tier, with the built core. Node calls the functions in `conformance`.
import { complete, start } from "./login-steps.js";
import { live, signInByDevice } from "./session-steps.js";

/** The functions that Node calls. */
type Steps = Readonly<Record<string, (...given: never[]) => unknown>>;

const unexpected: string[] = [];
addEventListener("error", ({ message }) => unexpected.push(message));
addEventListener("unhandledrejection", ({ reason }) => unexpected.push(String(reason)));

/** The uncaught errors, and the properties that a row has added to `Object.prototype`. */
function report(): readonly string[] {
  const inherited: string[] = [];
  for (const name in {}) inherited.push(name);
  return [...unexpected, ...inherited];
}

async function openFrame(): Promise<HTMLIFrameElement> {
  const frame = document.createElement("iframe");
  frame.src = location.href;
  const loaded = new Promise((done) => frame.addEventListener("load", done));
  document.body.append(frame);
  await loaded;
  return frame;
}

/** Pages without a step in progress. Loading a page takes longer than most steps. */
const free: HTMLIFrameElement[] = [];

/** Calls a step in a separate page, alone. */
const apart =
  (step: string, pages = free) =>
  async (...given: readonly never[]): Promise<unknown> => {
    const frame = pages.pop() ?? (await openFrame());
    const { conformance } = frame.contentWindow as unknown as { readonly conformance: Steps };
    const outcome = await conformance[step]?.(...given);
    // Uncaught errors are reported a task later.
    await new Promise((done) => setTimeout(done));
    unexpected.push(...(conformance["report"]?.() as readonly string[]));
    if (pages === free) free.push(frame);
    else frame.remove();
    return outcome;
  };

/**
 * Completes a row with several tries in a new page: a page keeps only a few token responses for
 * another try, and other rows leave some.
 */
const completeInTurn: typeof complete = async (address, state, settings) =>
  settings.tries === undefined
    ? complete(address, state, settings)
    : ((await apart("complete", [])(address as never, state as never, settings as never)) as never);

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
