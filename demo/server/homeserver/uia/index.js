// @ts-check
import { assertMembers } from "../body.js";
import { forbidden, internalError, MatrixError } from "../errors.js";
import { stageParams } from "./params.js";
import { createStageValidators, StageError, unknownStage } from "./stage-validators.js";

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
  const { limits, serverName, sessions } = homeserver;
  const validators = createStageValidators(homeserver);

  return async ({ operation, body, userId, flows }) => {
    const auth = authOf(body);
    const { session: id, type } = auth;
    const session =
      typeof id === "string" ? sessions.open(id, operation) : sessions.begin(operation, body);

    /** @param {object} [why] */
    const challenge = (why) => {
      const known = [...new Set(flows.flat())];
      return new MatrixError(401, "", "", {
        session: session.id,
        flows: flows.map((stages) => ({ stages })),
        params: stageParams(homeserver, known),
        // In no particular order: a client must not read one into it.
        ...(Object.keys(auth).length > 0 && { completed: [...session.completed].reverse() }),
        ...why,
      });
    };

    let problem = {};
    if (typeof type === "string") {
      limits.assert(session.id);
      limits.count(session.id);
      const validate = validators[type];
      if (!validate) throw unknownStage(auth);
      try {
        await validate({ auth, session });
        session.completed.add(type);
      } catch (error) {
        if (!(error instanceof StageError)) throw error;
        problem = { errcode: error.errcode, error: error.message };
      }
    }

    // What was completed before stays so, whatever is wrong now.
    if (!flows.some((stages) => stages.every((stage) => session.completed.has(stage)))) {
      throw challenge(problem);
    }
    const { localpart } = session.found;
    if (userId && localpart !== undefined && userId !== `@${String(localpart)}:${serverName}`) {
      // Not a 401: Synapse responds like this to another account's correct password.
      throw forbidden("Invalid auth");
    }
    return session.found;
  };
}

/** @type {(body: Record<string, unknown>) => Record<string, unknown>} throws a MatrixError */
function authOf({ auth = {} }) {
  // What Synapse makes of it: to leave it out is another thing.
  if (auth === null) throw internalError();
  if (typeof auth !== "object") throw new MatrixError(400, "M_BAD_JSON", "auth is no object");
  const given = /** @type {Record<string, unknown>} */ (auth);
  assertMembers(given, { session: "text?", type: "text?" });
  return given;
}
