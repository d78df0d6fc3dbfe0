// One UIA conversation with three stages, driven by the measured library.
/** A user's input at each stage. */
const ANSWERS = {
  "m.login.registration_token": { token: "token-of-the-bench" },
  "m.login.terms": {},
};

/**
 * @param InteractiveAuth The class of the subject; all have the same interface.
 * @param failure The error that the subject treats as a homeserver's rejection:
 * `(status, body) => Error`.
 * @returns A function that leads one conversation; `ask(auth)` makes the request.
 */
export const conversation = (InteractiveAuth, failure) => (ask) => {
  const auth = new InteractiveAuth({
    matrixClient: {
      generateClientSecret: () => "secret",
      getIdentityServerUrl: () => undefined,
    },
    inputs: {},
    async doRequest(auth) {
      const { status, body } = await ask(auth);
      if (status !== 200) throw failure(status, body);
      return body;
    },
    stateUpdated: (stage) => void auth.submitAuthDict({ type: stage, ...ANSWERS[stage] }),
    requestEmailToken: () => Promise.reject(new Error("No email is requested")),
  });
  return auth.attemptAuth();
};

/** Asks a homeserver over HTTP. */
export const over = (baseUrl) => async (auth) => {
  const answer = await fetch(`${baseUrl}/_matrix/client/v3/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ password: "password-of-the-bench", ...(auth && { auth }) }),
  });
  return { status: answer.status, body: await answer.json() };
};

const STAGES = ["m.login.registration_token", "m.login.terms", "m.login.dummy"];

/** A homeserver that requires three stages. */
export function refusing() {
  const completed = [];
  return async (auth) => {
    if (auth?.type === STAGES[completed.length]) completed.push(auth.type);
    if (completed.length === STAGES.length) return { status: 200, body: {} };
    return {
      status: 401,
      body: {
        session: "session",
        flows: [{ stages: STAGES }],
        params: {},
        completed: [...completed],
      },
    };
  };
}
