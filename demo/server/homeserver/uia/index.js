// @ts-check
import { MatrixError } from "../errors.js";
import { stageParams } from "./params.js";
import { createJudges, StageError, unknownStage } from "./stages.js";

/**
 * @typedef {object} Request
 * @property {string} operation method and path
 * @property {Record<string, unknown>} body
 * @property {string | null} userId who makes it, if anybody is signed in
 * @property {readonly string[][]} flows
 */

/**
 * Lets a request through when its stages are completed, and says what its session has found out.
 *
 * @typedef {(request: Request) => Promise<Record<string, unknown>>} Authenticate throws a MatrixError
 */

/**
 * User-Interactive Authentication, as Synapse has it.
 *
 * @param {import("../index.js").Homeserver} homeserver
 * @returns {Authenticate}
 */
export function createInteractiveAuthentication(homeserver) {
  const { uia: settings, sessions } = homeserver;
  const judges = createJudges(homeserver);

  return async ({ operation, body, userId, flows }) => {
    const auth = /** @type {Record<string, unknown>} */ (Object(body["auth"]));
    const { session: id, type } = auth;
    const session =
      typeof id === "string" ? sessions.open(id, operation) : sessions.begin(operation);

    /** @param {object} [why] */
    const challenge = (why) => {
      const known = [...new Set(flows.flat())];
      return new MatrixError(401, "", "", {
        session: session.id,
        flows: flows.map((stages) => ({ stages })),
        params: stageParams(homeserver, known),
        // In no particular order: a client must not read one into it.
        ...(session.completed.size > 0 && { completed: [...session.completed].reverse() }),
        ...why,
      });
    };

    if (typeof type === "string" && !session.completed.has(type)) {
      limitTries(session, settings);
      const judge = judges[type];
      if (!judge) throw unknownStage(type);
      try {
        await judge({ auth, session, userId });
      } catch (error) {
        if (!(error instanceof StageError)) throw error;
        throw challenge({ errcode: error.errcode, error: error.message });
      }
      session.completed.add(type);
    }

    if (!flows.some((stages) => stages.every((stage) => session.completed.has(stage)))) {
      throw challenge();
    }
    return session.found;
  };
}

/**
 * @param {import("./sessions.js").Session} session
 * @param {import("./settings.js").UiaSettings} settings
 */
function limitTries(session, { rateLimit }) {
  if (!rateLimit) return;
  const now = Date.now();
  session.tries = session.tries.filter((at) => now - at < rateLimit.windowMs);
  const [oldest = now] = session.tries;
  if (session.tries.length >= rateLimit.allowed) {
    throw new MatrixError(429, "M_LIMIT_EXCEEDED", "Too Many Requests", {
      retry_after_ms: Math.max(1, oldest + rateLimit.windowMs - now),
    });
  }
  session.tries.push(now);
}
