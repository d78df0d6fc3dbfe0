// A homeserver and its provider in this page. The playground's other pages share their state.
import { createTestServers } from "../../../dist/testing/index.js";
import { find } from "./dom.js";
import { FAULTS } from "./faults.js";
import { LOGINS, stageOf } from "./scenarios.js";
import { HOMESERVER, defaultLogin, initialStage, ownPageOf } from "./setups.js";
import type { State } from "./state.js";

/** The URL of the playground's folder, with a slash at its end. It is the folder of the page's script. */
export const FOLDER = new URL(".", find("script", HTMLScriptElement).src).href;

export async function startServers({ element, login, stage, error, once }: State) {
  const fault = FAULTS[error];
  const flows =
    element === "uia-fallback-frame"
      ? [[ownPageOf(stage)]]
      : stageOf(stage || initialStage(element)).flows;
  const servers = await createTestServers({
    homeserver: `${FOLDER}homeserver`,
    serverName: HOMESERVER,
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
    login: LOGINS[login || defaultLogin(element)]?.login,
    identityProviders: [
      { id: "example-id", name: "Example ID" },
      { id: "example-work", name: "Example Work" },
    ],
    uia: { flows, registrationFlows: flows },
    ...fault?.options,
  });
  return {
    servers,
    /** Starts the chosen fault. */
    fail: () => fault?.apply?.(servers, { times: once ? 1 : Infinity }, fault.label),
  };
}
