import { expect } from "@open-wc/testing";
import {
  MatrixAccountElement,
  MatrixLoginElement,
  OidcCallbackElement,
  OidcLoginElement,
  UiaDialogElement,
  UiaFallbackFrameElement,
} from "matrix-auth-elements";
import { untilQuiet, waitFor } from "../support/wait-for.js";

describe("define()", () => {
  it("registers an element under its own name when it is registered under another", () => {
    OidcLoginElement.define("my-login");
    OidcLoginElement.define();
    OidcLoginElement.define("your-login");
    for (const tag of ["my-login", "oidc-login", "your-login"]) {
      expect(document.createElement(tag), tag).to.be.instanceOf(OidcLoginElement);
    }
  });

  it("registers an element when the page has registered its class itself", () => {
    customElements.define("by-hand", OidcCallbackElement);
    OidcCallbackElement.define();
    OidcCallbackElement.define("one-more");
    for (const tag of ["by-hand", "oidc-callback", "one-more"]) {
      expect(document.createElement(tag), tag).to.be.instanceOf(OidcCallbackElement);
    }
  });

  it("throws for an invalid name", () => {
    expect(() => UiaDialogElement.define("dialog")).to.throw(DOMException);
    expect(customElements.get("uia-dialog")).to.equal(undefined);
  });

  it("registers uia-fallback-frame with the dialog", () => {
    UiaDialogElement.define("my-dialog");
    expect(customElements.get("uia-fallback-frame")).to.not.equal(undefined);
    expect(customElements.get("uia-dialog")).to.equal(undefined);
  });

  it("warns when another version has registered the name", () => {
    const warnings: unknown[] = [];
    const { warn } = console;
    console.warn = (...all: unknown[]): void => void warnings.push(...all);
    customElements.define("other-version", class extends HTMLElement {});
    OidcCallbackElement.define("other-version");
    console.warn = warn;
    expect(warnings.join()).to.contain("other-version");
  });

  for (const [Element, attribute, property, early] of [
    [OidcLoginElement, "client-id", "clientId", { clientMetadata: { clientName: "Early" } }],
    [OidcCallbackElement, "return-to", "returnTo", { manual: true }],
    [UiaDialogElement, "user-id", "userId", { doRequest: () => Promise.resolve() }],
    [UiaFallbackFrameElement, "session", "session", { allowedOrigins: ["https://hs.example"] }],
  ] as const) {
    it(`keeps properties that were set before <${Element.tag}> was defined`, async () => {
      const tag = `late-${Element.tag}`;
      const element = Object.assign(document.createElement(tag), early);
      element.setAttribute(attribute, "early");
      document.body.append(element);
      Element.define(tag);
      await (element as InstanceType<typeof Element>).updateComplete;
      expect(element)
        .to.be.instanceOf(Element)
        .and.to.include({ ...early, [property]: "early" });
      element.remove();
    });
  }

  it("is found by a callback on the page under another name, too", async () => {
    OidcCallbackElement.define();
    MatrixLoginElement.define("named-login");
    const login = document.createElement("named-login");
    const [alone, guest] = [0, 1].map(() => document.createElement("oidc-callback"));
    document.body.append(alone as Element);
    await waitFor(() => alone?.state === "error");
    alone?.remove();
    document.body.append(login, guest as Element);
    await untilQuiet();
    expect(guest?.state).to.equal("idle");
    guest?.remove();
    login.remove();
  });

  for (const Element of [
    MatrixAccountElement,
    MatrixLoginElement,
    OidcCallbackElement,
    OidcLoginElement,
    UiaDialogElement,
    UiaFallbackFrameElement,
  ]) {
    it(`doesn't show a hidden <${Element.tag}> before its code is loaded, despite the page's rules`, () => {
      const tag = `hidden-${Element.tag}`;
      const style = document.createElement("style");
      style.textContent = `${tag} { display: block !important }`;
      Element.define(tag);
      const element = Object.assign(document.createElement(tag), { hidden: true });
      document.body.append(style, element);
      expect(getComputedStyle(element).display).to.equal("none");
      style.remove();
      element.remove();
    });
  }

  for (const [Element, name] of [
    [OidcLoginElement, "disabled"],
    [OidcCallbackElement, "manual"],
    [OidcCallbackElement, "quiet"],
    [UiaDialogElement, "open"],
  ] as const) {
    it(`treats ${name}="false" of <${Element.tag}> as false`, () => {
      const tag = `boolean-${Element.tag}`;
      Element.define(tag);
      const element = document.createElement(tag);
      for (const [value, expected] of Object.entries({ false: false, "": true, true: true })) {
        element.setAttribute(name, value);
        expect(element, `${name}="${value}"`).to.have.property(name, expected);
      }
      element.removeAttribute(name);
      expect(element, `no ${name}`).to.have.property(name, false);
    });
  }
});
