import { expect } from "@open-wc/testing";
import { registerTranslation } from "matrix-auth-elements";
import { protectedRequest } from "../support/protected-request.js";
import {
  Msisdn,
  Password,
  Terms,
  POLICIES,
  begin,
  element,
  endDialog,
  field,
  fill,
  make,
  numberAsked,
  text,
} from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> speaks the page's language, whatever that is called", () => {
  afterEach(endDialog);

  it("speaks the page's language, and changes with it", async () => {
    registerTranslation({ $code: "eo", uiaHeading: "Konfirmu", uiaPassword: "Pasvorto" });
    await make();
    await begin(protectedRequest([Password]));
    document.documentElement.lang = "eo";
    await waitFor(() => text().includes("Konfirmu"));
    expect(text()).to.contain("Pasvorto").and.to.contain("Enter your password");
  });

  it("opens where the page's lang is no tag, and properties are null or undefined", async () => {
    document.documentElement.lang = "no_such language!";
    await make();
    Object.assign(element, { pollInterval: undefined, inputs: null, supportedStages: undefined });
    await begin(protectedRequest([Msisdn, Password]));
    expect(text()).to.contain("Step 1 of 2");
    await numberAsked();
  });

  it("opens in a page whose lang is a locale's name", async () => {
    document.documentElement.lang = "en_US.UTF-8";
    await make();
    await begin(protectedRequest([Password, Terms], POLICIES));
    expect(text()).to.contain("Step 1 of 2");
  });

  it("asks for a phone number in a page whose lang is a locale's name", async () => {
    document.documentElement.lang = "en_US.UTF-8";
    await make();
    await begin(protectedRequest([Msisdn]));
    await numberAsked();
  });

  it("keeps the country that was chosen when the language changes", async () => {
    await make();
    await begin(protectedRequest([Msisdn]));
    await numberAsked();
    fill({ country: "DE" });
    field("country").dispatchEvent(new Event("change", { bubbles: true }));
    document.documentElement.lang = "de";
    await waitFor(() => field("country").textContent.includes("Deutschland"));
    expect(field("country").value).to.equal("DE");
  });
});
