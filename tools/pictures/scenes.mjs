/* global document */
// The scenes of the pictures. A scene sets the state of a page, or of each of its frames.
import { readFile } from "node:fs/promises";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").Frame} Frame
 * @typedef {import("./servers.mjs").Servers} Servers
 * @typedef {(frame: Frame, servers: Servers) => Promise<void>} Act
 *
 * @typedef {object} Scene
 * @property {readonly [width: number, height: number]} size In CSS pixels.
 * @property {readonly Act[]} acts Several acts are shown side by side.
 * @property {"light" | "dark"} [colorScheme] Default: light.
 */

/** @param {Frame} frame @param {string} html */
const put = (frame, html) =>
  frame.evaluate((markup) => {
    document.body.innerHTML = markup;
  }, html);

/** @param {Frame} frame @param {string} tag @param {string} state */
const inState = (frame, tag, state) =>
  frame.locator(`${tag}:state(${state})`).waitFor({ state: "attached" });

/** @type {Act} */
async function signedOut(frame) {
  await put(frame, `<matrix-login suggestions="matrix.org" client-name="My app"></matrix-login>`);
  await frame.locator("matrix-login input").waitFor();
}

/** @param {string} more @returns {Act} */
const signedIn = (more) => (frame) =>
  put(frame, `<p>Signed in as @alice:example.org <button>Sign out</button>${more}`);

/** @type {Act} */
async function methods(frame) {
  const logo = encodeURIComponent(await readFile("demo/pages/icon.svg", "utf8"));
  await put(
    frame,
    `<matrix-login homeserver="example.org" client-name="Lantern" logo-uri="data:image/svg+xml,${logo}"></matrix-login>`,
  );
  await inState(frame, "matrix-login", "ready");
}

/** @type {Act} */
async function registration(frame, servers) {
  await methods(frame, servers);
  await frame.locator("matrix-login [part=register]").click();
  await frame.locator("matrix-login [part=back]").waitFor();
  await frame.locator("matrix-login [name=username]").fill("alice");
  await frame.locator("matrix-login [name=password]").fill("one password");
  await frame.locator("matrix-login [name=repeat]").fill("another one");
  await frame.locator("matrix-login [part=submit]").click();
  await frame.locator("matrix-login .error").waitFor();
}

/** @type {Act} */
async function wrongPassword(frame) {
  await put(
    frame,
    `<matrix-login homeserver="example.org" homeserver-locked user-id="@alice:example.org"></matrix-login>`,
  );
  await inState(frame, "matrix-login", "ready");
  await frame.locator("matrix-login [name=password]").fill("wrong");
  await frame.locator("matrix-login [part=submit]").click();
  await inState(frame, "matrix-login", "error");
}

/** @type {Act} */
async function login(frame) {
  await put(
    frame,
    `<oidc-login homeserver="example.org"></oidc-login>
     <oidc-login homeserver="nobody.example">
       <svg slot="icon" width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
         <path d="M4 9h10M10 5l4 4-4 4" fill="none" stroke="currentcolor" stroke-width="2" />
       </svg>
       Come in
     </oidc-login>`,
  );
  await frame.locator("oidc-login:last-child [part=button]").click();
  await inState(frame, "oidc-login:last-child", "error");
}

/**
 * Returns from the provider.
 *
 * @param {Frame} frame
 * @param {(route: import("playwright-core").Route) => unknown} respond Responds to the token request.
 */
async function comeBack(frame, respond) {
  await frame.page().route("**/token", respond);
  await put(frame, `<oidc-login homeserver="delegating.example"></oidc-login>`);
  await frame.locator("oidc-login [part=button]").click();
  await frame.getByRole("link", { name: "Continue" }).click();
  await frame.waitForURL(/[?#].*code=/);
  await put(frame, `<oidc-callback></oidc-callback>`);
}

/** @type {Act} */
async function pending(frame) {
  await comeBack(frame, () => undefined);
  await inState(frame, "oidc-callback", "pending");
  await frame.locator("oidc-callback [part=spinner]").waitFor();
}

/** @type {Act} */
async function offline(frame) {
  await comeBack(frame, (route) => route.abort());
  await inState(frame, "oidc-callback", "error");
}

/**
 * Signs alice in on the page.
 *
 * @param {Frame} frame
 * @param {Servers} servers
 */
const signIn = (frame, { homeserver }) =>
  frame.evaluateHandle(
    async ({ homeserverUrl: baseUrl, ...user }) => {
      // @ts-expect-error The module exists only in the browser.
      const { HomeserverClient } = await import("/dist/cdn/core.js");
      return new HomeserverClient({ baseUrl, ...user });
    },
    homeserver.signIn("alice", { deviceId: "LANTERN" }),
  );

/**
 * Opens the dialog.
 *
 * @param {Frame} frame
 * @param {Servers} servers
 * @param {string[]} stages
 */
async function confirm(frame, servers, stages) {
  servers.homeserver.uia.flows = [stages];
  await put(
    frame,
    `<uia-dialog submit-label="Sign out device" destructive><p slot="description">To sign out <b>Old laptop</b>, confirm it’s you.</p></uia-dialog>`,
  );
  const client = await signIn(frame, servers);
  await frame.evaluate((client) => {
    const dialog = /** @type {any} */ (document.querySelector("uia-dialog"));
    Object.assign(dialog, {
      client,
      userId: client.userId,
      requestEmailToken: client.requestAdd3pidEmailToken.bind(client),
    });
    dialog
      .authenticate((/** @type {unknown} */ auth) => client.deleteDevice("LAPTOP", auth))
      .catch(() => undefined);
  }, client);
  await inState(frame, "uia-dialog", "awaiting-input");
}

/** @type {Act} */
const password = (frame, servers) => confirm(frame, servers, ["m.login.password"]);

/** @type {Act} */
async function email(frame, servers) {
  await confirm(frame, servers, ["m.login.email.identity", "m.login.password"]);
  await frame.locator("uia-dialog [name=email]").fill("alice@example.org");
  await frame.locator("uia-dialog [part=submit]").click();
  await frame.locator("uia-dialog .others").waitFor();
}

/** @type {Act} */
async function terms(frame, servers) {
  await confirm(frame, servers, ["m.login.terms"]);
  await frame.locator("uia-dialog [type=checkbox]").first().waitFor();
}

/** @type {Act} */
async function elsewhere(frame, servers) {
  await confirm(frame, servers, ["m.login.sso"]);
  await frame.locator("uia-dialog [part=open]").waitFor();
}

/** @param {string} id @param {string} name @param {number} hoursAgo @param {string} ip */
const device = (id, name, hoursAgo, ip) => ({
  device_id: id,
  display_name: name,
  last_seen_ts: Date.now() - hoursAgo * 3_600_000,
  last_seen_ip: ip,
});

/** @type {Act} */
async function account(frame, servers) {
  const client = await signIn(frame, servers);
  Object.assign(servers.homeserver.account("alice") ?? {}, {
    emails: ["alice@mail.example"],
    devices: [
      device("LANTERN", "Lantern in Firefox", 0, "203.0.113.7"),
      device("PHONE", "Lantern on Pixel 9", 2, "2001:db8::7334"),
      device("LAPTOP", "Old laptop", 200 * 24, "198.51.100.20"),
    ],
  });
  await put(frame, "<matrix-account></matrix-account>");
  await frame.evaluate((given) => {
    Object.assign(document.querySelector("matrix-account") ?? {}, { client: given });
  }, client);
  await inState(frame, "matrix-account", "ready");
}

/**
 * With a style sheet of a guide.
 *
 * @param {Act} act
 * @param {string} [guide]
 * @param {number} [nth]
 * @returns {Act}
 */
const themed =
  (act, guide = "appearance", nth = 0) =>
  async (frame, servers) => {
    const text = await readFile(`docs/guides/${guide}.md`, "utf8");
    const sheets = [...text.matchAll(/^```css\n([^]+?)^```$/gm)].map(([, css = ""]) => css);
    await frame.addStyleTag({ content: sheets[nth] ?? "" });
    await act(frame, servers);
  };

/** A theme of docs/guides/themes.md. @param {number} nth @returns {Scene} */
const theme = (nth) => ({
  size: [960, 860],
  acts: [methods, account].map((act) => themed(act, "themes", nth)),
});

/** The scenes by the picture's name. @type {Readonly<Record<string, Scene>>} */
export const SCENES = {
  "sign-in-light": { size: [960, 700], acts: [methods, password] },
  "sign-in-dark": { size: [960, 700], acts: [methods, password], colorScheme: "dark" },
  "quick-start": { size: [960, 430], acts: [signedOut, signedIn("")] },
  "quick-start-rooms": { size: [960, 430], acts: [signedOut, signedIn("<p>2 rooms: Lantern, HQ")] },
  "matrix-login-registration": { size: [520, 735], acts: [registration] },
  "matrix-login-password": { size: [520, 650], acts: [wrongPassword] },
  "oidc-login": { size: [520, 230], acts: [login] },
  "oidc-callback": { size: [520, 160], acts: [pending] },
  "oidc-callback-error": { size: [520, 355], acts: [offline] },
  "uia-dialog-password": { size: [520, 380], acts: [password] },
  "uia-dialog-email": { size: [520, 480], acts: [email] },
  "uia-dialog-terms": { size: [520, 400], acts: [terms] },
  "uia-dialog-elsewhere": { size: [520, 380], acts: [elsewhere] },
  "matrix-account-light": { size: [760, 1500], acts: [account] },
  "matrix-account-dark": { size: [760, 1500], acts: [account], colorScheme: "dark" },
  "theme-pastel": theme(0),
  "theme-dense": theme(1),
  "theme-terminal": theme(2),
  theming: { size: [960, 700], acts: [themed(methods), themed(password)] },
};
