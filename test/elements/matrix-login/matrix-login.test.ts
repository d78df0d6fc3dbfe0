import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import { hasSession, startSsoLogin, type MatrixLoginElement } from "matrix-auth-elements";
import { json, type ScriptedFetch } from "../../support/scripted-fetch.js";
import { restoreStubs } from "../../support/stub.js";
import { inState, nextEvent, part } from "../support/element.js";
import {
  AUTH_METADATA,
  HOMESERVER,
  METADATA,
  WELL_KNOWN,
  scriptServers,
} from "../support/servers.js";

const API = `${HOMESERVER}/_matrix/client/v3`;
const LOGIN = `POST ${API}/login`;
const FLOWS = `GET ${API}/login`;
const SIGNED_IN = { user_id: "@alice:example", device_id: "DEVICE", access_token: "secret-access" };
const UNRECOGNIZED = json({ errcode: "M_UNRECOGNIZED" }, 404);
const flows = (...types: readonly string[]): unknown => ({
  flows: types.map((type) => ({ type })),
});

describe("<matrix-login>", () => {
  let servers: ScriptedFetch;

  beforeEach(() => {
    servers = scriptServers();
    sessionStorage.clear();
    localStorage.clear();
    servers.routes[AUTH_METADATA] = UNRECOGNIZED;
    servers.routes[WELL_KNOWN.replace("/.well-known", "/_matrix/client/unstable/x")] = UNRECOGNIZED;
    for (const path of ["auth_metadata", "auth_issuer"]) {
      servers.routes[`GET ${HOMESERVER}/_matrix/client/unstable/org.matrix.msc2965/${path}`] =
        UNRECOGNIZED;
    }
    servers.routes[FLOWS] = json(flows("m.login.password"));
    servers.routes[LOGIN] = json(SIGNED_IN);
  });
  afterEach(restoreStubs);

  const make = (attributes = html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`) =>
    fixture<MatrixLoginElement>(attributes);

  const ready = async (attributes?: Parameters<typeof make>[0]): Promise<MatrixLoginElement> => {
    const element = await make(attributes);
    await inState(element, "ready");
    return element;
  };

  const type = (element: MatrixLoginElement, user: string, password: string): void => {
    for (const [name, value] of Object.entries({ username: user, password })) {
      const input = element.querySelector<HTMLInputElement>(`[name="${name}"]`);
      if (input) input.value = value;
    }
  };

  it("signs in with a password, and keeps the session where persist says", async () => {
    const element = await ready(
      html`<matrix-login homeserver=${HOMESERVER} persist="local"></matrix-login>`,
    );
    const success = nextEvent(document, "matrix-login-success");
    type(element, "alice", "secret-password");
    part(element, "submit").click();
    const { detail } = await success;
    expect(detail).to.include({ method: "password", userId: "@alice:example", deviceId: "DEVICE" });
    expect(hasSession({ store: "localStorage" })).to.be.true;
    expect(JSON.stringify(detail)).not.to.contain("secret-password");
    expect(document.querySelector("input[type=password]")).to.be.null;
    detail.session.close();
  });

  it("says that the password is wrong, keeps the name, and lets the user try again", async () => {
    servers.routes[LOGIN] = json({ errcode: "M_FORBIDDEN" }, 403);
    const element = await ready();
    type(element, "alice", "wrong");
    const error = nextEvent(document, "matrix-login-error");
    part(element, "submit").click();
    expect((await error).detail.code).to.equal("credentials_invalid");
    expect(part(element, "error").textContent).to.contain("Incorrect username or password.");
    expect(element.querySelector<HTMLInputElement>('[name="username"]')?.value).to.equal("alice");
    expect(element.querySelector<HTMLInputElement>('[name="password"]')?.value).to.equal("");
  });

  it("offers OAuth 2.0 alone where the homeserver has it", async () => {
    servers.routes[AUTH_METADATA] = json(METADATA);
    const element = await ready();
    expect(element.shadowRoot?.querySelector("oidc-login")).not.to.be.null;
    expect(element.querySelector("input")).to.be.null;
    expect(servers.log.filter((line) => line === AUTH_METADATA)).to.have.length(1);
  });

  it("shows an error, and no password form, where the metadata fails", async () => {
    servers.routes[AUTH_METADATA] = json({}, 500);
    const element = await make();
    await inState(element, "error");
    expect(element.querySelector("input")).to.be.null;
  });

  it("completes a single sign-on that this tab has begun, and leaves no token in the address bar", async () => {
    const { href } = location;
    const { state } = startSsoLogin({ homeserverUrl: HOMESERVER, redirectUri: href });
    const back = new URL(href);
    back.searchParams.set("state", state);
    back.searchParams.set("loginToken", "secret-login-token");
    history.replaceState(null, "", back);
    const success = nextEvent(document, "matrix-login-success");
    await make();
    expect(location.href).to.equal(href);
    expect((await success).detail).to.include({ method: "sso", userId: "@alice:example" });
  });
});
