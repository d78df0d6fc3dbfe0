// A homeserver and its provider, in this page. Other pages of the playground continue with their
// state.
import { createTestServers } from "../../../dist/testing/index.js";
import { find } from "./dom.js";
import { DEFAULT_LOGIN, initialStage, ownPageOf } from "./setups.js";
import { FAULTS, applyFault } from "./faults.js";
import { LOGINS, stageOf } from "./scenarios.js";

/** The playground's folder, with a slash at its end: that of the page's script. */
export const FOLDER = new URL(".", find("script", HTMLScriptElement).src).href;

export const SERVER_NAME = "example.org";

/** @param {import("./state.js").State} state */
export async function startServers({ element, login, stage, error, once }) {
  const fault = FAULTS[error];
  const flows =
    element === "uia-fallback-frame"
      ? [[ownPageOf(stage)]]
      : stageOf(stage || initialStage(element)).flows;
  const servers = await createTestServers({
    homeserver: `${FOLDER}homeserver`,
    serverName: SERVER_NAME,
    issuer: `${FOLDER}provider/`,
    authorizationPage: `${FOLDER}provider.html`,
    store: localStorage,
    accounts: {
      alice: {
        password: "password",
        emails: ["alice@mail.example"],
        devices: [{ device_id: "LAPTOP", display_name: "Old laptop" }],
      },
      bob: "password",
    },
    login: LOGINS[login || (DEFAULT_LOGIN[element] ?? "oauth")]?.login,
    identityProviders: [
      { id: "example-id", name: "Example ID" },
      { id: "example-work", name: "Example Work" },
    ],
    uia: { flows, registrationFlows: flows },
    ...fault?.options,
  });
  return {
    servers,
    /** From now on things go wrong, if they shall. */
    fail: () => fault && applyFault(fault, servers, once ? 1 : Infinity),
  };
}
