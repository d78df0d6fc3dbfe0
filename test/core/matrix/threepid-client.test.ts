import { expect } from "@open-wc/testing";
import { HomeserverClient, MatrixError } from "matrix-auth-elements/core";
import { everyTextIn, rejectionOf } from "../../support/rejection.ts";
import { json, redirectTo, ScriptedFetch } from "../../support/scripted-fetch.ts";
import { HOMESERVER } from "../login.ts";

const SUBMIT = "https://id.example/_matrix/submit?x=1";
const CODE = " 012 345\u00a0";

describe("HomeserverClient.submitMsisdnTokenOtherUrl", () => {
  let server: ScriptedFetch;
  const submit = (url = SUBMIT) =>
    new HomeserverClient({
      baseUrl: HOMESERVER,
      accessToken: "secret-access-token",
      fetch: server.fetch,
    }).submitMsisdnTokenOtherUrl(url, "sid1", "secret-client", CODE);

  beforeEach(() => {
    server = new ScriptedFetch();
  });

  for (const [what, url] of [
    ["another server", SUBMIT],
    ["the homeserver", `${HOMESERVER}/_matrix/client/unstable/add_threepid/msisdn/submit_token`],
    ["localhost over plain http", "http://localhost:8090/submit"],
  ] as const) {
    it(`posts the code as it was typed, without the access token, to ${what}`, async () => {
      server.routes[`POST ${url}`] = json({ success: true });

      expect(await submit(url)).to.deep.equal({ success: true });
      const [request] = server.requests;
      expect(JSON.parse(request?.body ?? "")).to.deep.equal({
        sid: "sid1",
        client_secret: "secret-client",
        token: CODE,
      });
      expect(request?.headers.has("Authorization")).to.be.false;
      expect(request).to.include({
        redirect: "manual",
        credentials: "omit",
        referrerPolicy: "no-referrer",
      });
    });
  }

  for (const url of [
    "http://id.example/submit",
    "javascript:alert(1)",
    "data:application/json,{}",
    "//id.example/submit",
    "/submit",
    "https://user:secret@id.example/",
    "",
  ]) {
    it(`rejects with a TypeError and sends nothing for the URL "${url}"`, async () => {
      const error = await rejectionOf(submit(url));

      expect(error).to.be.instanceOf(TypeError);
      expect(everyTextIn(error)).not.to.contain("secret");
      expect(server.log).to.deep.equal([]);
    });
  }

  for (const [what, respond, expected] of [
    [
      "success false",
      json({ success: false }),
      { errcode: "M_TOKEN_INCORRECT", message: "The code is wrong", httpStatus: 200 },
    ],
    [
      "success false and an error",
      json({ success: false, errcode: "M_SESSION_EXPIRED", error: "Too late" }),
      { errcode: "M_SESSION_EXPIRED", message: "Too late", httpStatus: 200 },
    ],
    [
      "400",
      json({ errcode: "M_TOKEN_INCORRECT" }, 400),
      { errcode: "M_TOKEN_INCORRECT", httpStatus: 400 },
    ],
  ] as const) {
    it(`rejects with ${expected.errcode} after ${what}`, async () => {
      server.routes[`POST ${SUBMIT}`] = respond;

      const error = await rejectionOf(submit());

      expect(error).to.be.instanceOf(MatrixError).and.to.include(expected);
      expect(everyTextIn(error)).not.to.contain("secret").and.not.to.contain("012 345");
    });
  }

  it("rejects with unexpected_redirect when it is redirected", async () => {
    server.routes[`POST ${SUBMIT}`] = redirectTo("https://elsewhere.example/", 307);

    expect(await rejectionOf(submit())).to.include({ code: "unexpected_redirect" });
    expect(server.log).to.have.lengthOf(1);
  });
});
