// Every stage that <uia-dialog> supports, with the servers of matrix-auth-elements/testing.
import { expect, html } from "@open-wc/testing";
import { HomeserverClient } from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { stub } from "../../support/stub.js";
import { part } from "../support/element.js";
import { useTestServers } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";
import { element, endDialog, outcome, ui } from "../uia-dialog/fixture.js";

describe("<uia-dialog> with the test servers", () => {
  let servers: TestServers;
  let client: HomeserverClient;
  let opened: string[];

  beforeEach(async () => {
    opened = [];
    const go = (url: string): void => void (url && opened.push(url));
    const popup = { closed: false, close: () => undefined, location: { replace: go } };
    stub(window, "open", { value: (url: string) => (go(url), popup) });
    servers = await useTestServers({
      login: ["password"],
    });
    const { accessToken, userId } = servers.signIn("alice");
    servers.signIn("alice", { deviceId: "LAPTOP" });
    client = new HomeserverClient({ baseUrl: servers.homeserver, accessToken, userId });
  });
  afterEach(endDialog);

  const deviceIds = async (): Promise<readonly string[]> =>
    (await client.getDevices()).devices.map(({ device_id }) => device_id);

  /** Deletes a device, for which the homeserver requires a stage. */
  const deleteDevice = async (set: object = {}): Promise<void> => {
    await ui.make(html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`);
    Object.assign(element, { client, ...set });
    ui.follow(
      element
        .authenticate((auth) => client.deleteDevice("LAPTOP", auth))
        .catch((error: unknown) => error),
    );
    await ui.asked();
  };
  const expectDeleted = async (): Promise<void> => {
    expect(await outcome).to.deep.equal({});
    expect(await deviceIds()).not.to.include("LAPTOP");
  };
  const submitCode = async (): Promise<void> => {
    await waitFor(() => element.querySelector("[name=code]"));
    const code = servers.messages.at(-1)?.code ?? "";
    await ui.submit({ code });
  };
  const secret = "secret";
  const withPage = async (): Promise<void> => {
    const frame = await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"));
    await waitFor(() => frame?.shadowRoot?.querySelector("[part=open]"));
    if (frame) part(frame, "open").click();
    servers.approve(opened[0] ?? "");
    await waitFor(() => frame?.shadowRoot?.querySelector("[part=finished]"));
    if (frame) part(frame, "finished").click();
  };

  let solved: ((response: string) => void) | undefined;
  const stages: Readonly<
    Record<string, { readonly act: () => Promise<unknown>; readonly set?: () => object }>
  > = {
    "m.login.password": { act: () => ui.submit({ password: "password" }) },
    "m.login.registration_token": { act: () => ui.submit({ token: "registration-token" }) },
    "org.matrix.msc3231.login.registration_token": {
      act: () => ui.submit({ token: "registration-token" }),
    },
    "m.login.terms": {
      act: async () => {
        ui.checkAll();
        await ui.press("submit");
      },
    },
    "m.login.recaptcha": {
      act: async () => (await waitFor(() => solved))?.("human"),
      set: () => ({
        loadCaptcha: async () => ({
          render: (_: HTMLElement, { callback }: { callback(response: string): void }) => {
            solved = callback;
            return 0;
          },
          reset: () => undefined,
        }),
      }),
    },
    "m.login.email.identity": {
      act: async () => {
        const message = await waitFor(() => servers.messages.at(-1));
        servers.approve(message?.link ?? "");
        await element.poll();
      },
      set: () => ({
        clientSecret: secret,
        inputs: { emailAddress: "alice@mail.example" },
        requestEmailToken: (email: string, clientSecret: string, attempt: number) =>
          client.requestAdd3pidEmailToken(email, clientSecret, attempt),
      }),
    },
    "m.login.msisdn": {
      act: submitCode,
      set: () => ({
        clientSecret: secret,
        inputs: { phoneCountry: "GB", phoneNumber: "07700900123" },
        requestPhoneToken: (
          country: string,
          phone: string,
          clientSecret: string,
          attempt: number,
        ) => client.requestAdd3pidMsisdnToken(country, phone, clientSecret, attempt),
      }),
    },
    "m.login.sso": { act: withPage },
    "m.oauth": { act: withPage },
    "org.example.unknown": { act: withPage },
  };
  for (const [stage, { act, set }] of Object.entries(stages)) {
    it(`sends the request successfully after ${stage}`, async () => {
      servers.uia.flows = [[stage]];
      await deleteDevice(set?.());
      expect(await deviceIds()).to.include("LAPTOP");
      await act();
      await expectDeleted();
    });
  }

  it("sends the request successfully after m.login.dummy, without asking the user", async () => {
    servers.uia.flows = [["m.login.dummy"]];
    await ui.make();
    element.client = client;
    await element.authenticate((auth) => client.deleteDevice("LAPTOP", auth));
    expect(await deviceIds()).not.to.include("LAPTOP");
  });

  it("accepts the stages one after another, and lists the completed ones", async () => {
    servers.uia.flows = [["m.login.password", "m.login.registration_token"]];
    await deleteDevice();
    await ui.submit({ password: "password" });
    await waitFor(() => element.querySelector("[name=token]"));
    await ui.submit({ token: "wrong" });
    expect(ui.text()).to.contain("registration");
    await ui.submit({ token: "registration-token" });
    await expectDeleted();
  });

  for (const [what, refuse, text] of [
    ["is wrong", () => undefined, "Incorrect password"],
    [
      "was tried too often",
      () => servers.rateLimit("/devices/LAPTOP", { retryAfterMs: 60_000 }),
      "Too many attempts",
    ],
  ] as const) {
    it(`reports a password that ${what}`, async () => {
      await deleteDevice();
      refuse();
      ui.fill({ password: "wrong" });
      await ui.press("submit");
      await ui.reads(text);
      expect(await deviceIds()).to.include("LAPTOP");
    });
  }
});
