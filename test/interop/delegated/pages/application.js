// The application after signing in. It continues with the session that is stored, or that `page.hold` is
// given; where the homeserver leaves something to the provider, it shows the way there.
import * as core from "/dist/cdn/core.js";

const dialog = document.querySelector("uia-dialog");
const problem = document.querySelector("#problem");
let session;
let client;

/** What a person may want done, with a proof where one is asked for; and where else it is done. */
const operations = {
  deleteDevice: (id) => [
    (auth) => client.deleteDevice(id, auth),
    ["org.matrix.device_delete", { deviceId: id }],
  ],
  deleteDevices: (...ids) => [
    (auth) => client.deleteMultipleDevices(ids, auth),
    ["org.matrix.devices_list"],
  ],
  changePassword: () => [(auth) => client.setPassword(auth, "another-long-password"), []],
  deactivate: () => [(auth) => client.deactivateAccount(auth), ["org.matrix.account_deactivate"]],
  addEmail: () => [
    (auth) => client.addThreePidOnly({ client_secret: "secret", sid: "1", auth }),
    ["org.matrix.profile"],
  ],
  loginToken: () => [(auth) => client.requestLoginToken(auth), []],
};

/** The homeserver has no such endpoint: its provider keeps the account. */
async function showWay(error, way) {
  if (error.errcode !== "M_UNRECOGNIZED") return;
  const href = core.accountManagementUrl(await client.getAuthMetadata(), ...way);
  const link = document.createElement("a");
  Object.assign(link, { href, target: "_blank", textContent: "Do this at your provider" });
  problem.replaceChildren(link);
}

const watch = (promise, way) => {
  window.outcome = undefined;
  promise.then(
    (result) => (window.outcome = { result: result ?? null }),
    async (error) => {
      const { message, name, code, errcode, httpStatus } = error;
      if (way) await showWay(error, way);
      window.outcome = { error: message, name, code: code ?? errcode, httpStatus };
    },
  );
};

window.events = [];
window.core = core;
window.page = {
  hold(next) {
    session = window.session = next;
    client = window.client = new core.HomeserverClient({ baseUrl: session.homeserverUrl, session });
    dialog.client = client;
    for (const type of ["session-changed", "session-ended"]) {
      session.addEventListener(type, ({ detail }) => window.events.push({ type, ...detail }));
    }
  },
  begin(name, ...values) {
    const [request, way] = operations[name](...values);
    watch(dialog.authenticate(request), way);
  },
  makeKeys() {
    const { authUploadDeviceSigningKeys } = dialog;
    const made = client.bootstrapCrossSigning({ authUploadDeviceSigningKeys });
    watch(made.then(({ keys }) => Object.values(keys.master_key.keys)[0]));
  },
};

const stored = await core.OidcSession.restore({ store: "localStorage" });
if (stored) window.page.hold(stored);
window.isReady = true;
