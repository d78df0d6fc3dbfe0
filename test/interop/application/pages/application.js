// An app's page for operations that a homeserver protects. It restores the stored session, or `page.hold` or
// `page.signIn` sets one. If only the provider can do an operation, the page shows a link to it.
import * as core from "/dist/cdn/core.js";

const dialog = document.querySelector("uia-dialog");
const problem = document.querySelector("#problem");
const baseUrl = new URLSearchParams(location.search).get("homeserver");
let session;
let client;
let validated = { client_secret: "secret", sid: "1" };

const useClient = (next) => {
  client = window.client = dialog.client = next;
};

/** Each operation takes the dialog's `auth`, if any. */
const operations = {
  deleteDevice: (id) => (auth) => client.deleteDevice(id, auth),
  deleteDevices: (ids) => (auth) => client.deleteMultipleDevices(ids, auth),
  changePassword: (password) => (auth) => client.setPassword(auth, password),
  deactivate: () => (auth) => client.deactivateAccount(auth),
  loginToken: () => (auth) => client.requestLoginToken(auth),
  addEmail: () => (auth) => client.addThreePidOnly({ ...validated, auth }),
  register: (account) => (auth) => client.register({ ...account, auth }),
};

/** The provider's names for the operations, for the link to its page. */
const actions = {
  deleteDevice: (deviceId) => ["org.matrix.device_delete", { deviceId }],
  deleteDevices: () => ["org.matrix.devices_list"],
  deactivate: () => ["org.matrix.account_deactivate"],
  addEmail: () => ["org.matrix.profile"],
};

/** Without such an endpoint, the homeserver's provider manages the account. */
async function showLink({ errcode }, action = []) {
  if (errcode !== "M_UNRECOGNIZED") return;
  const href = core.accountManagementUrl(await client.getAuthMetadata(), ...action);
  const link = document.createElement("a");
  Object.assign(link, { href, target: "_blank", textContent: "Do this at your provider" });
  problem.replaceChildren(link);
}

const record = (promise, action) => {
  window.outcome = undefined;
  promise.then(
    (result) => (window.outcome = { result: result ?? null }),
    async (error) => {
      const { message, name, code, errcode, httpStatus } = error;
      await showLink(error, action);
      window.outcome = { error: message, name, code: code ?? errcode, httpStatus };
    },
  );
};

window.events = [];
window.core = core;
window.page = {
  hold(next) {
    session = window.session = next;
    useClient(new core.HomeserverClient({ baseUrl: session.homeserverUrl, session }));
    for (const type of ["session-changed", "session-ended"]) {
      session.addEventListener(type, ({ detail }) => window.events.push({ type, ...detail }));
    }
  },
  signIn({ token, userId, deviceId }) {
    useClient(new core.HomeserverClient({ baseUrl, accessToken: token, userId, deviceId }));
    dialog.userId = userId;
  },
  begin: (name, ...values) =>
    record(dialog.authenticate(operations[name](...values)), actions[name]?.(...values)),
  createKeys() {
    const { authUploadDeviceSigningKeys } = dialog;
    const created = client.bootstrapCrossSigning({ authUploadDeviceSigningKeys });
    record(created.then(({ keys }) => Object.values(keys.master_key.keys)[0]));
  },
  async requestEmail(email) {
    const client_secret = client.generateClientSecret();
    const { sid } = await client.requestAdd3pidEmailToken(email, client_secret, 1);
    validated = { sid, client_secret };
  },
  addresses: async () => (await client.getThreePids()).threepids.map(({ address }) => address),
  /** A captcha without a script: two buttons, one of which is correct. */
  useCaptcha(good) {
    dialog.loadCaptcha = async () => ({
      render(container, { callback }) {
        for (const response of [good, "a-robot"]) {
          const button = document.createElement("button");
          Object.assign(button, { type: "button", name: response, textContent: response });
          button.addEventListener("click", () => callback(response));
          container.append(button);
        }
      },
    });
  },
};

if (baseUrl) {
  useClient(new core.HomeserverClient({ baseUrl }));
  dialog.requestEmailToken = (...values) => client.requestRegisterEmailToken(...values);
  dialog.requestPhoneToken = (...values) => client.requestRegisterMsisdnToken(...values);
} else {
  const stored = await core.OidcSession.restore({ store: "localStorage" });
  if (stored) window.page.hold(stored);
}
window.isReady = true;
