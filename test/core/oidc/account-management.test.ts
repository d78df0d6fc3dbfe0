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
  it("is the issuer's own address where nothing in particular is wanted", () => {
    expect(accountManagementUrl(metadata)).to.equal("https://idp.example/account");
  });

  it("names the action", () => {
    expect(accountManagementUrl(metadata, "org.matrix.profile")).to.equal(
      "https://idp.example/account?action=org.matrix.profile",
    );
  });

  it("names the device of an action, whatever characters it has", () => {
    expect(
      accountManagementUrl(metadata, "org.matrix.device_delete", { deviceId: "A&B=C #" }),
    ).to.equal(
      "https://idp.example/account?action=org.matrix.device_delete&device_id=A%26B%3DC+%23",
    );
  });

  it("keeps the query that the address has, as it is written", () => {
    const account_management_uri = "https://idp.example/account?realm&lang=de%20AT#top";

    expect(
      accountManagementUrl({ ...metadata, account_management_uri }, "org.matrix.profile"),
    ).to.equal("https://idp.example/account?realm&lang=de%20AT&action=org.matrix.profile#top");
  });

  for (const [what, action, supported] of [
    ["the issuer does not name", "org.matrix.account_deactivate", undefined],
    ["nobody named", "org.matrix.profile", []],
    ["is every object's", "constructor", undefined],
    ["is empty", "", undefined],
  ] as const) {
    it(`is undefined for an action that ${what}`, () => {
      const account_management_actions_supported =
        supported ?? metadata.account_management_actions_supported;

      expect(accountManagementUrl({ ...metadata, account_management_actions_supported }, action)).to
        .be.undefined;
    });
  }

  it("is undefined for any action where the issuer names none", () => {
    const { account_management_uri } = metadata;

    expect(accountManagementUrl({ account_management_uri }, "org.matrix.profile")).to.be.undefined;
  });

  for (const [action, oldName] of [
    ["org.matrix.devices_list", "org.matrix.sessions_list"],
    ["org.matrix.device_view", "org.matrix.session_view"],
    ["org.matrix.device_delete", "org.matrix.session_end"],
  ] as const) {
    it(`calls ${action} by its old name where the issuer knows but that`, () => {
      const old = { ...metadata, account_management_actions_supported: [oldName] };

      expect(accountManagementUrl(old, action, { deviceId: "DEVICE1234" })).to.equal(
        `https://idp.example/account?action=${oldName}&device_id=DEVICE1234`,
      );
    });
  }

  for (const account_management_uri of [undefined, "javascript:alert(1)", "http://idp.example/"]) {
    it(`is undefined where the issuer has no page to be trusted: ${account_management_uri}`, () => {
      const broken = { ...metadata, account_management_uri: account_management_uri as string };

      expect(accountManagementUrl(broken)).to.be.undefined;
      expect(accountManagementUrl(broken, "org.matrix.profile")).to.be.undefined;
    });
  }
});
