// Runs the code of the preview's page, which code.js shows.
import { HomeserverClient, LegacySession } from "../../../dist/core/index.js";
import type { TestServers } from "../../../dist/testing/index.js";
import { find } from "./dom.js";
import { stageOf } from "./scenarios.js";
import { FOLDER } from "./servers.js";
import { ownPageOf } from "./setups.js";
import type { State } from "./state.js";

const PASSWORD = "correct horse";

export async function runPage(state: State, servers: TestServers): Promise<void> {
  const account = document.querySelector("matrix-account");
  if (account) account.session = new LegacySession(servers.signIn("alice"));
  if (state.element === "uia-dialog") runDialog(state, servers);
  if (state.element === "uia-fallback-frame") await runFallback(state, servers);
}

function runDialog({ stage }: State, servers: TestServers): void {
  const dialog = document.querySelector("uia-dialog");
  if (!dialog) return;
  const { request } = stageOf(stage);
  const { homeserverUrl: baseUrl, accessToken, userId } = servers.signIn("alice");
  const client = new HomeserverClient({
    baseUrl,
    ...(request === "device" && { accessToken, userId }),
  });
  dialog.client = client;
  dialog.requestEmailToken = (email, secret, attempt) =>
    client.requestRegisterEmailToken(email, secret, attempt);
  dialog.requestPhoneToken = (country, phone, secret, attempt) =>
    client.requestRegisterMsisdnToken(country, phone, secret, attempt);
  find("#ask").addEventListener("click", () => {
    say("");
    void report(
      dialog.authenticate((auth) =>
        request === "device"
          ? client.deleteDevice("LAPTOP", auth)
          : client.register({ password: PASSWORD, ...(auth && { auth }) }),
      ),
    );
  });
}

async function runFallback({ attributes, stage }: State, servers: TestServers): Promise<void> {
  const frame = document.querySelector("uia-fallback-frame");
  if (!frame) return;
  const client = new HomeserverClient({ baseUrl: servers.homeserver });
  frame.client = client;
  frame.addEventListener("uia-fallback-open", (event) => {
    // A link could lead to another site's page, which cannot use this homeserver.
    if (!event.detail.url.startsWith(FOLDER)) event.preventDefault();
  });
  frame.addEventListener("uia-fallback-done", () => {
    void report(client.register({ password: PASSWORD, auth: { session: frame.session ?? "" } }));
  });
  await client.register({ password: PASSWORD }).catch(({ data }) => {
    if (!attributes["session"]) frame.session = data.session;
    // The stage's parameters contain the provider's page.
    if (!attributes["url"]) frame.url = data.params?.[ownPageOf(stage)]?.url;
  });
}

const say = (text: string) => document.querySelector("#outcome")?.replaceChildren(text);

const report = (request: Promise<unknown>) =>
  request.then(
    () => say("Done."),
    (error) => say(`Not done: ${error.code ?? error.errcode ?? error.message}`),
  );
