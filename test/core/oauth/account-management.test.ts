import { expect } from "@open-wc/testing";
import { accountManagementUrl } from "matrix-auth-elements/core";

const metadata = {
  account_management_uri: "https://idp.example/account",
  account_management_actions_supported: [
    "org.matrix.profile",
    "org.matrix.devices_list",
    "org.matrix.device_delete",
  ],
};

describe("accountManagementUrl", () => {
  for (const [action, oldName] of [
    ["org.matrix.devices_list", "org.matrix.sessions_list"],
    ["org.matrix.device_view", "org.matrix.session_view"],
    ["org.matrix.device_delete", "org.matrix.session_end"],
  ] as const) {
    it(`uses the old name of ${action} if the issuer supports only that`, () => {
      const old = { ...metadata, account_management_actions_supported: [oldName] };

      expect(accountManagementUrl(old, action, { deviceId: "DEVICE1234" })).to.equal(
        `https://idp.example/account?action=${oldName}&device_id=DEVICE1234`,
      );
    });
  }
});
