// Everything that a homeserver wants a proof for, by the real client and the real dialog.
// The query names the homeserver: ?homeserver=http://localhost:…
import { HomeserverClient } from "/dist/cdn/core.js";

const baseUrl = new URLSearchParams(location.search).get("homeserver");
const dialog = document.querySelector("uia-dialog");
let client = new HomeserverClient({ baseUrl });
let validated;

const useClient = (next) => {
  client = next;
  dialog.client = client;
};
useClient(client);
dialog.requestEmailToken = (...asked) => client.requestRegisterEmailToken(...asked);
dialog.requestPhoneToken = (...asked) => client.requestRegisterMsisdnToken(...asked);

/** What is done with a proof, by its name. */
const operations = {
  deleteDevice: (id) => (auth) => client.deleteDevice(id, auth),
  deleteDevices: (ids) => (auth) => client.deleteMultipleDevices(ids, auth),
  changePassword: (password) => (auth) => client.setPassword(auth, password),
  deactivate: () => (auth) => client.deactivateAccount(auth),
  loginToken: () => (auth) => client.requestLoginToken(auth),
  addEmail: () => (auth) => client.addThreePidOnly({ ...validated, auth }),
  register: (wanted) => (auth) => client.register({ ...wanted, auth }),
};

const watch = (promise) => {
  window.outcome = undefined;
  promise.then(
    (result) => (window.outcome = { result: result ?? null }),
    (error) => (window.outcome = { error: error.message, code: error.code ?? error.errcode }),
  );
};

window.page = {
  signIn({ token, userId, deviceId }) {
    useClient(new HomeserverClient({ baseUrl, accessToken: token, userId, deviceId }));
    dialog.userId = userId;
  },
  begin: (name, ...values) => watch(dialog.authenticate(operations[name](...values))),
  makeKeys() {
    const { authUploadDeviceSigningKeys } = dialog;
    const made = client.bootstrapCrossSigning({ authUploadDeviceSigningKeys });
    watch(made.then(({ keys }) => keys.master_key.keys));
  },
  async askForMail(email) {
    const client_secret = client.generateClientSecret();
    const { sid } = await client.requestAdd3pidEmailToken(email, client_secret, 1);
    validated = { sid, client_secret };
  },
  addresses: async () => (await client.getThreePids()).threepids.map(({ address }) => address),
  /** A captcha that needs no loading: two buttons, one of them right. */
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
