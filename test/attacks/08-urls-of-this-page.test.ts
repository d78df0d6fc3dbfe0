// Rule 8. `https:account` is https://account/ for a parser without a base, but for a page's `fetch()` and its links it is
// a path of the page's own origin. So a homeserver could let the page send a code to the app, and link to the app's actions.
import { expect } from "@open-wc/testing";
import { HomeserverClient, startDeviceAuthorization } from "matrix-auth-elements/core";
import { element, endDialog, Terms, ui } from "../elements/uia-dialog/fixture.ts";

/** The scheme of this page, so that a URL without slashes is relative to it. */
const { protocol } = location;

/** URLs of another host for a parser without a base, and of this page for the browser. */
const HOSTILE = [
  `${protocol}localhost/account/delete`,
  `${protocol}localhost?account=delete`,
  `${protocol}/localhost/account/delete`,
  `${protocol.toUpperCase()}localhost/account/delete`,
  ` ${protocol}localhost/account/delete`,
  `${protocol}\tlocalhost/account/delete`,
] as const;
const HONEST = `${protocol}//localhost/account/delete`;

const isOfThisPage = (url: string): boolean =>
  new URL(url, document.baseURI).origin === location.origin;

describe("A URL from a server is not a path of this page", () => {
  it("is relative only if it has no slashes", () => {
    for (const url of HOSTILE)
      expect([isOfThisPage(url), URL.canParse(url)], url).to.deep.equal([true, true]);
    expect(isOfThisPage(HONEST)).to.equal(false);
  });

  describe("submit_url, to which a phone's code is sent", () => {
    /** The URLs of the requests, as the browser would send them. */
    const submit = async (submitUrl: string): Promise<readonly string[]> => {
      const urls: string[] = [];
      const client = new HomeserverClient({
        baseUrl: "https://hs.example",
        fetch: (input) => {
          urls.push(new Request(input).url);
          return Promise.resolve(Response.json({ success: true }));
        },
      });
      await client
        .submitMsisdnTokenOtherUrl(submitUrl, "sid", "secret", "1234")
        .catch(() => undefined);
      return urls;
    };

    for (const url of HOSTILE) {
      it(`sends nothing to ${JSON.stringify(url)}`, async () => {
        expect((await submit(url)).filter(isOfThisPage)).to.deep.equal([]);
      });
    }

    it("sends the code to another host", async () => {
      expect(await submit(HONEST)).to.deep.equal([HONEST]);
    });
  });

  describe("the policies of m.login.terms", () => {
    afterEach(endDialog);

    const linksTo = async (url: string): Promise<readonly string[]> => {
      const policies = { privacy: { version: "1", en: { name: "Privacy", url } } };
      await ui.open([Terms], { params: { [Terms]: { policies } } });
      return [...element.querySelectorAll<HTMLAnchorElement>("form a")].map(({ href }) => href);
    };

    for (const url of HOSTILE) {
      it(`are not linked to ${JSON.stringify(url)}`, async () => {
        expect((await linksTo(url)).filter(isOfThisPage)).to.deep.equal([]);
      });
    }

    it("are linked to another host", async () => {
      expect(await linksTo(HONEST)).to.deep.equal([HONEST]);
    });
  });

  describe("the address for a device code", () => {
    const startWith = async (url: string): Promise<readonly string[]> => {
      const issuer = "https://idp.example/";
      const metadata = {
        issuer,
        authorization_endpoint: `${issuer}authorize`,
        token_endpoint: `${issuer}token`,
        revocation_endpoint: `${issuer}revoke`,
        registration_endpoint: `${issuer}register`,
        device_authorization_endpoint: `${issuer}device`,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
      };
      const codes = { device_code: "d", user_code: "u", expires_in: 600 };
      const fetch = () =>
        Promise.resolve(
          Response.json({ ...codes, verification_uri: url, verification_uri_complete: url }),
        );
      const started = await startDeviceAuthorization({ metadata, clientId: "c" }, { fetch }).catch(
        () => undefined,
      );
      return started ? [started.verification_uri, started.verification_uri_complete ?? ""] : [];
    };

    for (const url of HOSTILE) {
      it(`is not ${JSON.stringify(url)}`, async () => {
        expect((await startWith(url)).filter(isOfThisPage)).to.deep.equal([]);
      });
    }

    it("can be on another host", async () => {
      expect(await startWith(HONEST)).to.deep.equal([HONEST, HONEST]);
    });
  });
});
