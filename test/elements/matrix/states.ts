import { aTimeout, fixture, html } from "@open-wc/testing";
import { render } from "lit";
import { setViewport } from "@web/test-runner-commands";
import "matrix-auth-elements/define";
import {
  AuthType,
  type CaptchaApi,
  type MatrixAccountElement,
  type MatrixLoginElement,
  type OidcCallbackElement,
  type OidcLoginElement,
  type UiaDialogElement,
  type UiaFallbackFrameElement,
} from "matrix-auth-elements";
import type { TestServers, TestServersOptions } from "matrix-auth-elements/testing";
import { realPause } from "../../support/real-pause.js";
import { restoreStubs, stub } from "../../support/stub.js";
import {
  choosePicture,
  control,
  DAY_MS,
  PASSWORD as OLD_PASSWORD,
  picture,
  signIn,
} from "../matrix-account/fixture.js";
import { closePopup, inState, part, textIn } from "../support/element.js";
import { protectedRequest, refusal, type StageValidator } from "../support/protected-request.js";
import { HOMESERVER, responseUrl, useTestServers } from "../support/test-servers.js";
import { resizeBack } from "../support/viewport.js";
import { keysHaveStopped } from "../support/keys.js";
import { waitFor } from "../support/wait-for.js";

/** A state that a user can see, and the steps that lead to it. */
export interface State {
  readonly name: string;
  /** Resolves when the state is visible. */
  readonly show: () => Promise<unknown>;
}

const statesOf = (table: Readonly<Record<string, State["show"]>>): readonly State[] =>
  Object.entries(table).map(([name, show]) => ({ name, show }));

const { Password, Email, Msisdn, Terms, RegistrationToken, Recaptcha, Sso, OAuth } = AuthType;
const LONG_WORD = "Rechtsschutzversicherungsgesellschaftsanmeldung";
/** A server's response time: a state that ends immediately would not be announced. */
const DELAY_MS = 8;
type MaybePromise<T> = T | Promise<T>;
type Respond = Parameters<TestServers["override"]>[1];
/** Delays a response. Default: the test servers' own response. */
const slowly =
  (respond?: () => Response): Respond =>
  async () => {
    await realPause(DELAY_MS);
    return respond?.();
  };
const noNetwork = (): Response => Response.error();
/** So long that the text of the wait stays the same. */
export const HOUR_MS = 3_600_000;

const status =
  (code: number, body: object = {}) =>
  (): Response =>
    Response.json(body, { status: code });
const never = (): Promise<never> => new Promise(() => undefined);

let servers: TestServers;
/** Overrides the responses of an endpoint. An empty name stands for every endpoint. */
const respondAt = (endpoint: string, respond: Respond): unknown =>
  servers.override(endpoint, respond, { times: Infinity });
const REDIRECTS = ["oidc-redirect", "matrix-login-redirect"];
const stay = (event: Event): void => event.preventDefault();
/** Links are followed in a page's own tests. */
const stayOnLink = (event: Event): void => {
  if (event.composedPath().some((each) => each instanceof HTMLAnchorElement)) stay(event);
};

/** Prepares the page, and returns where the element is rendered. */
export type Place = (page: HTMLElement) => HTMLElement | ShadowRoot;
const inPage: Place = (page) => page;
let place = inPage;

/** Renders the next state's element somewhere else. */
export const showAt = (where: Place): void => void (place = where);

/** What the current state has rendered. */
let shown: HTMLElement | undefined;

/** The element of the state that was shown last. */
export function shownElement(): HTMLElement {
  if (!shown) throw new Error("no state was shown");
  return shown;
}

/** The servers of the state that was shown last. */
export const currentServers = (): TestServers => servers;

/** What the dialog has sent: its requests are functions, not requests to the servers. */
const sentByDialog: unknown[] = [];
let respondToDialog: Respond | undefined;

/** Passes a function's request on to the homeserver, unless all requests get another response. */
async function throughNetwork<T>(sent: unknown, request: () => Promise<T>): Promise<T> {
  sentByDialog.push(sent);
  const response = await respondToDialog?.({} as never);
  if (!response) return request();
  if (response.type === "error") throw new TypeError("Failed to fetch");
  throw refusal(response.status, (await response.json()) as object);
}

/** The requests that change something, of the state that was shown last: each with its content. */
export const sentRequests = (): readonly string[] => [
  ...servers.requests
    .filter(({ method }) => method !== "GET")
    .map(({ method, url, body }) => `${method} ${url} ${body}`),
  ...sentByDialog.map((sent) => `dialog ${JSON.stringify(sent)}`),
];

/** The requests of the state that was shown last, whose URL ends so. Default: all. */
export const requestCount = (end?: string): number =>
  end === undefined
    ? servers.requests.length + sentByDialog.length
    : servers.requests.filter(({ url }) => url.endsWith(end)).length;

/** Gives every request from now on another response. `undefined` stands for the usual one. */
export function respondToAll(respond: () => MaybePromise<Response | undefined>): void {
  respondAt("", respond);
  respondToDialog = respond;
}

/** Call it before each state: it prepares the page and its servers. */
export async function begin(): Promise<void> {
  // The login flows include passwords: a homeserver with an OAuth 2.0 provider alone does not validate phone
  // numbers.
  servers = await useTestServers({ login: ["oauth", "password"] });
  sessionStorage.clear();
  document.title = "A page";
  document.documentElement.lang = "en";
  for (const type of REDIRECTS) document.addEventListener(type, stay, { capture: true });
  document.addEventListener("click", stayOnLink);
}

/** Call it after each state. */
export async function end(): Promise<void> {
  if (shown instanceof HTMLElement && "cancel" in shown) (shown as UiaDialogElement).cancel();
  for (const dialog of document.querySelectorAll("uia-dialog")) dialog.cancel();
  shown = undefined;
  sentByDialog.length = 0;
  respondToDialog = undefined;
  place = inPage;
  await aTimeout(0);
  restoreStubs();
  await keysHaveStopped();
  for (const type of REDIRECTS) document.removeEventListener(type, stay, { capture: true });
  document.removeEventListener("click", stayOnLink);
  document.querySelector("iframe[hidden]")?.remove();
  await resizeBack();
}

/** Renders an element in the page's main content. */
async function put<E extends HTMLElement>(template: unknown, tag: string): Promise<E> {
  const page = await fixture<HTMLElement>(html`
    <main>
      <h1>A page</h1>
      <div></div>
    </main>
  `);
  const container = place(page.querySelector("div") ?? page);
  render(template, container);
  const element = container.querySelector<E>(tag);
  if (!element) throw new Error(`no ${tag}`);
  shown = element;
  return element;
}

/** Stands in for a popup's window. */
const POPUP = { closed: false, document: {}, location: { replace: () => undefined } };

// <oidc-login>

/** @param opened The browser's return value for a popup: null if it blocks it. */
async function waiting(opened: object | null): Promise<OidcLoginElement> {
  const close = (): void => undefined;
  stub(window, "open", { value: () => opened && { ...opened, close } });
  const element = await login(
    "ready",
    html`<oidc-login homeserver=${HOMESERVER} mode="popup"></oidc-login>`,
  );
  await element.login();
  await inState(element, "waiting");
  return element;
}

export async function login(
  state: string,
  template: unknown = html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`,
): Promise<OidcLoginElement> {
  const element = await put<OidcLoginElement>(template, "oidc-login");
  // The browser decides when the element would do so by itself.
  if (state !== "idle") void element.prepare();
  await inState(element, state);
  return element;
}

const loginError = (respond: Respond, template?: unknown) => (): Promise<OidcLoginElement> => {
  respondAt("", respond);
  return login("error", template);
};

async function unsupported(): Promise<OidcLoginElement> {
  servers = await useTestServers({ login: ["password"] });
  return login("unsupported");
}

export const LOGIN_STATES = statesOf({
  idle: () => login("idle", html`<oidc-login></oidc-login>`),
  async preparing() {
    respondAt("/.well-known/matrix/client", never);
    await login("preparing");
    await waitFor(requestCount, "no request");
  },
  async "preparing after a click"() {
    respondAt("/.well-known/matrix/client", never);
    const element = await login("preparing");
    // It is in this state while its code is loaded, too.
    await waitFor(requestCount, "no request");
    void element.login();
    await aTimeout(0);
  },
  ready: () => login("ready"),
  "ready to create an account": () =>
    login("ready", html`<oidc-login homeserver=${HOMESERVER} prompt="create"></oidc-login>`),
  async redirecting() {
    respondAt("/register", never);
    const element = await login("ready");
    void element.login();
    await inState(element, "redirecting");
  },
  "waiting for its popup": () => waiting(POPUP),
  "waiting, the popup blocked": () => waiting(null),
  disabled: () => login("idle", html`<oidc-login homeserver=${HOMESERVER} disabled></oidc-login>`),
  "error: no network": loginError(noNetwork),
  unsupported,
  async "unsupported, and clicked"() {
    const element = await unsupported();
    await element.login();
    await inState(element, "error");
  },
  "error: a server's": loginError(status(503)),
  async "error: no network, disabled"() {
    const element = await loginError(noNetwork)();
    element.disabled = true;
    await element.updateComplete;
  },
  "error: no homeserver yet": loginError(noNetwork, html`<oidc-login></oidc-login>`),
  "error: no homeserver": loginError(
    noNetwork,
    html`<oidc-login homeserver="no server, no name"></oidc-login>`,
  ),
  "error: the page's settings": () =>
    login("error", html`<oidc-login homeserver=${HOMESERVER} response-mode="odd"></oidc-login>`),
  "error in the page's words": loginError(
    noNetwork,
    html`<oidc-login homeserver=${HOMESERVER}>
      <span slot="error-network_error">The homeserver is down. <a href="#help">Help</a></span>
    </oidc-login>`,
  ),
  "its label and icon the page's": () =>
    login(
      "ready",
      html`<oidc-login homeserver=${HOMESERVER}>
        <svg slot="icon" width="16" height="16" aria-hidden="true"></svg>
        Come in, and leave a light on for the people whom you know
      </oidc-login>`,
    ),
  "its label a long word": () =>
    login("ready", html`<oidc-login homeserver=${HOMESERVER}>${LONG_WORD}</oidc-login>`),
});

// <oidc-callback>

interface CallbackOptions {
  readonly response?: Readonly<Record<string, string>>;
  /** The token endpoint's response. If it is missing, the request fails. */
  readonly tokens?: Respond;
  readonly template?: unknown;
}

const REFUSED = { error: "access_denied" };

export async function callback(
  state: string,
  { response, tokens = noNetwork, template }: CallbackOptions = {},
): Promise<OidcCallbackElement> {
  respondAt("/token", tokens);
  const element = await put<OidcCallbackElement>(
    template ?? html`<oidc-callback manual return-to="/home"></oidc-callback>`,
    "oidc-callback",
  );
  element.addEventListener("oidc-success", stay);
  void element.complete(await responseUrl(servers, response));
  await inState(element, state);
  return element;
}

/** Makes the token endpoint succeed. */
export const succeedNow = (): unknown => respondAt("/token", slowly());

/** Makes every request fail. */
export const goOffline = (): unknown => respondAt("", slowly(noNetwork));

const callbackError = (options: CallbackOptions) => () => callback("error", options);

const WORDS = html`<oidc-callback manual>
  <p slot="pending">Hold on.</p>
  <p slot="success">There you are. <a href="#in">Go in</a></p>
  <span slot="error-access_denied">Another time, then.</span>
</oidc-callback>`;

export const CALLBACK_STATES = statesOf({
  "nothing to end": async () => {
    const element = await put<OidcCallbackElement>(
      html`<oidc-callback manual return-to="/home"></oidc-callback>`,
      "oidc-callback",
    );
    void element.complete("/without-a-response");
    return inState(element, "error");
  },
  "manual, before anything": () =>
    put(html`<oidc-callback manual></oidc-callback>`, "oidc-callback"),
  pending: () => callback("pending", { tokens: never }),
  success: () => callback("success", { tokens: slowly() }),
  "error: no network, to be tried again": callbackError({}),
  "error: too many attempts": callbackError({
    tokens: () =>
      Response.json({}, { status: 429, headers: { "Retry-After": `${HOUR_MS / 1000}` } }),
  }),
  "error: a server's": callbackError({ tokens: status(500) }),
  "error: the code is no longer good": callbackError({
    tokens: status(400, { error: "invalid_grant" }),
  }),
  "error: the provider rejects the app": callbackError({
    tokens: status(400, { error: "invalid_client" }),
  }),
  "error: the provider's message": callbackError({ response: { error: "server_error" } }),
  "error: not to be trusted": callbackError({
    response: { iss: "https://evil.example" },
  }),
  "declined by the user": callbackError({ response: REFUSED }),
  "pending in the page's words": () => callback("pending", { tokens: never, template: WORDS }),
  "success in the page's words": () => callback("success", { tokens: slowly(), template: WORDS }),
  "rejected with the page's text": callbackError({ response: REFUSED, template: WORDS }),
});

// <uia-dialog>

const POLICIES = {
  privacy: { version: "1", en: { name: "Privacy policy", url: "https://hs.example/privacy" } },
  terms: { version: "1", de: { name: "Nutzungsbedingungen", url: "https://hs.example/nutzung" } },
};
const PARAMS = {
  [Terms]: { policies: POLICIES },
  [Recaptcha]: { public_key: "the-key" },
  [OAuth]: { url: "https://account.example/" },
};

/** No validation is pending at this URL. */
const SUBMIT_URL = `${HOMESERVER}/_matrix/client/unstable/add_threepid/msisdn/submit_token`;

/** The homeserver's error, or the network's, for a submitted stage. */
const refused = (stage: string, errcode: string) => (): Promise<never> =>
  Promise.reject(
    refusal(401, {
      session: "the-session",
      flows: [{ stages: [stage] }],
      params: PARAMS,
      errcode,
      error: "No <b>way</b>, says the homeserver.",
    }),
  );
const offline = (): Promise<never> => Promise.reject(new TypeError("Failed to fetch"));
const outOfOrder = (): Promise<never> => Promise.reject(refusal(503, {}));
const tooMany = (): Promise<never> =>
  Promise.reject(refusal(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 60_000 }));

/** The user has not followed the link in the message. */
const notYet: StageValidator = () => ({ errcode: "M_UNAUTHORIZED", error: "not yet" });
const NOT_YET = { [Email]: notYet };

/** A session that the homeserver no longer knows. */
const FORGOTTEN = "forgotten";
const UNKNOWN_SESSION = { errcode: "M_UNKNOWN", error: "Unknown session ID" };

interface DialogOptions {
  /** The values to submit, once the stage is shown. */
  readonly submit?: Readonly<Record<string, string>>;
  /** A selector that is visible in the end. Default: the stage. */
  readonly comes?: string;
  /** The homeserver's response to the submission. By default it validates the stage. */
  readonly respond?: () => Promise<never>;
  readonly set?: Partial<UiaDialogElement>;
  readonly template?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly validators?: Readonly<Record<string, StageValidator>>;
}

/** Opens the dialog at the first of some stages, and continues to the state. */
export async function dialog(
  stages: readonly string[],
  {
    submit,
    comes,
    respond,
    set,
    template,
    params = PARAMS,
    validators = NOT_YET,
  }: DialogOptions = {},
): Promise<UiaDialogElement> {
  const element = await put<UiaDialogElement>(
    template ?? html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`,
    "uia-dialog",
  );
  Object.assign(element, {
    client: { baseUrl: HOMESERVER },
    pollInterval: Infinity,
    requestEmailToken: (...sent: readonly unknown[]) =>
      throughNetwork(["email", ...sent.slice(0, 3)], async () => {
        await realPause(DELAY_MS);
        return { sid: "sid" };
      }),
    requestPhoneToken: (...sent: readonly unknown[]) =>
      throughNetwork(["phone", ...sent.slice(0, 4)], () =>
        Promise.resolve({ sid: "sid", submit_url: SUBMIT_URL }),
      ),
    ...set,
  });
  const { doRequest } = protectedRequest(stages, params, validators);
  element
    .authenticate(async (auth, background) => {
      if (auth) await realPause(DELAY_MS);
      if (auth?.session === FORGOTTEN) throw refusal(400, UNKNOWN_SESSION);
      return throughNetwork(auth, () =>
        auth?.type !== undefined && respond ? respond() : doRequest(auth, background),
      );
    })
    .catch(() => undefined);
  await inState(element, "awaiting-input");
  if (submit) await fillIn(element, submit, comes ?? "dialog");
  else if (comes !== undefined) await found(element, comes);
  return element;
}

/** Fills in the form, presses the button, and waits for the result. */
export async function fillIn(
  element: UiaDialogElement,
  values: Readonly<Record<string, string>>,
  comes: string,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const [field] = await found<HTMLInputElement>(element, `[name=${name}]`);
    field.value = value;
  }
  const boxes = element.querySelectorAll<HTMLInputElement>("[type=checkbox]");
  for (const box of boxes) box.click();
  await press(element, "[part=submit]", comes);
}

/** Presses a button, and waits for the result. */
export async function press(
  element: HTMLElement & { updateComplete: Promise<boolean> },
  selector: string,
  comes: string,
): Promise<void> {
  const [button] = await found(element, selector);
  button.click();
  await element.updateComplete;
  await found(element, comes);
  await element.updateComplete;
}

/** A field with an error. */
export const WRONG = "[aria-invalid=true]";
const BUSY = "[aria-busy=true]";

/** Waits for an element in this element, in its shadow tree, or in that of its frame. */
export async function found<E extends HTMLElement = HTMLElement>(
  element: Element,
  selector: string,
): Promise<[E]> {
  const places = (): (ParentNode | null | undefined)[] => [
    element,
    element.shadowRoot,
    element.shadowRoot?.querySelector("uia-fallback-frame")?.shadowRoot,
  ];
  const look = (): E | undefined =>
    places()
      .map((place) => place?.querySelector<E>(selector))
      .find((each) => each) ?? undefined;
  await waitFor(look, `no ${selector}`);
  return [look() as E];
}

const sent: DialogOptions = { submit: { email: "alice@example.org" }, comes: ".others" };
const PHONE = { inputs: { phoneCountry: "GB", phoneNumber: "07700900123" } };
const withLink = {
  ...PHONE,
  requestPhoneToken: () => Promise.resolve({ sid: "sid" }),
};
/** A captcha's script as the page sees it. It has two sizes, both fixed. */
const captchaThat = (
  render: (...parameters: Parameters<CaptchaApi["render"]>) => void,
): Partial<UiaDialogElement> => ({ loadCaptcha: () => Promise.resolve({ render }) });
const widget = captchaThat((container, { size }) => {
  const frame = document.createElement("iframe");
  frame.title = "I am a user";
  frame.width = size === "compact" ? "164" : "304";
  container.append(frame);
});

export const DIALOG_STATES = statesOf({
  password: () => dialog([Password, RegistrationToken]),
  "password without a user ID": () =>
    dialog([Password], { template: html`<uia-dialog></uia-dialog>` }),
  "password, working": () =>
    dialog([Password], { submit: { password: "right" }, respond: never, comes: BUSY }),
  "password, wrong": () =>
    dialog([Password], {
      submit: { password: "wrong" },
      respond: refused(Password, "M_FORBIDDEN"),
      comes: WRONG,
    }),
  "email, form": () => dialog([Email]),
  "email, form, rejected": () =>
    dialog([Email], {
      ...sent,
      set: {
        requestEmailToken: () =>
          Promise.reject(refusal(400, { errcode: "M_THREEPID_IN_USE", error: "no" })),
      },
      comes: WRONG,
    }),
  "email, being sent": () =>
    dialog([Email], { ...sent, set: { requestEmailToken: never }, comes: BUSY }),
  "email, sent": () => dialog([Email], sent),
  "email, sent, not followed yet": async () =>
    press(await dialog([Email], sent), "[part=submit]", "[part=notice]"),
  "email, change": async () =>
    press(await dialog([Email], sent), ".others button:last-child", "[name=email]"),
  "phone, form": () => dialog([Msisdn], { comes: "[name=phone]" }),
  "phone, form, no number": () =>
    dialog([Msisdn], {
      set: {
        requestPhoneToken: () => Promise.reject(refusal(400, { errcode: "M_INVALID_PARAM" })),
      },
      submit: { country: "GB", phone: "12" },
      comes: WRONG,
    }),
  "phone, code": () => dialog([Msisdn], { set: PHONE, comes: "[name=code]" }),
  "phone, code, wrong": () =>
    dialog([Msisdn], { set: PHONE, submit: { code: "999999" }, comes: WRONG }),
  "phone, link sent": () =>
    dialog([Msisdn], { set: withLink, validators: { [Msisdn]: notYet }, comes: ".others" }),
  token: () => dialog([RegistrationToken]),
  "token, rejected": () =>
    dialog([RegistrationToken], {
      submit: { token: "abc" },
      respond: refused(RegistrationToken, "M_UNAUTHORIZED"),
      comes: WRONG,
    }),
  terms: () => dialog([Terms, Password]),
  "terms, rejected with the homeserver's message": () =>
    dialog([Terms], { submit: {}, respond: refused(Terms, "M_ODD"), comes: "[part=error]" }),
  "terms without a link": () => dialog([Terms], { params: {} }),
  async "captcha, in the page"() {
    await setViewport({ width: 320, height: 720 });
    await dialog([Recaptcha], { set: widget, comes: "iframe" });
  },
  "captcha, failed: the homeserver's page": () =>
    dialog([Recaptcha], {
      set: captchaThat((_, parameters) => parameters["error-callback"]()),
      comes: "[part=open]",
    }),
  "sign-in elsewhere": () => dialog([Sso], { comes: "[part=open]" }),
  "sign-in elsewhere, opened": async () =>
    press(await withPopup(dialog([Sso])), "[part=open]", "[part=finished]"),
  "sign-in elsewhere, blocked": async () =>
    press(await blocked(dialog([Sso])), "[part=open]", "[part=link]"),
  async "sign-in elsewhere, not finished yet"() {
    const element = await withPopup(dialog([Sso]));
    await press(element, "[part=open]", "[part=finished]");
    await press(element, "[part=finished]", "[part=notice]");
  },
  "approval by m.oauth": () => dialog([OAuth], { comes: "[part=open]" }),
  "an unknown stage": () => dialog(["org.example.unknown"], { comes: "[part=open]" }),
  "a stage without a page": () => dialog([Sso], { set: { client: {} }, comes: "[part=text]" }),
  "no network: try again": () =>
    dialog([Password], { submit: { password: "x" }, respond: offline, comes: "[part=error]" }),
  "a server out of order: try again": () =>
    dialog([Password], { submit: { password: "x" }, respond: outOfOrder, comes: "[part=error]" }),
  "too many attempts": () =>
    dialog([RegistrationToken], {
      submit: { token: "abc" },
      respond: tooMany,
      comes: "[part=notice]",
    }),
  "the session restarts": () =>
    dialog([Password], { set: { sessionId: FORGOTTEN }, comes: "[part=notice]" }),
  "with the page's texts and its own button": () =>
    dialog([Password], {
      template: html`<uia-dialog
        user-id="@alice:hs.example"
        submit-label="Sign out device"
        destructive
      >
        <span slot="heading">Do you mean it?</span>
        <p slot="description">This signs out the laptop in the kitchen, for good.</p>
        <button slot="actions" style="min-block-size: 2.75em">Help</button>
      </uia-dialog>`,
    }),
  "the page's stage": () =>
    dialog([Password], {
      template: html`<uia-dialog user-id="@alice:hs.example">
        <form slot="m.login.password" @submit=${stay}>
          <label>PIN <input name="pin" autocomplete="off" size="6" /></label>
          <button>Go on</button>
        </form>
      </uia-dialog>`,
    }),
  "the page's stage, without a field": () =>
    dialog([Password], {
      template: html`<uia-dialog><p slot="m.login.password">Wait.</p></uia-dialog>`,
    }),
  "long words": () =>
    dialog([RegistrationToken], {
      template: html`<uia-dialog
        heading=${LONG_WORD}
        submit-label=${LONG_WORD}
        user-id="@alice:hs.example"
      >
        <p slot="description">${LONG_WORD}</p>
      </uia-dialog>`,
    }),
});

// <uia-fallback-frame>

/** Stands in for an open popup. */
export async function withPopup<T>(shown: Promise<T>): Promise<T> {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  document.body.append(frame);
  stub(window, "open", { value: () => frame.contentWindow });
  return shown;
}

function blocked<T>(shown: Promise<T>): Promise<T> {
  stub(window, "open", { value: () => null });
  return shown;
}

const FRAME = html`<uia-fallback-frame
  stage="m.login.terms"
  session="s"
  homeserver=${HOMESERVER}
></uia-fallback-frame>`;

export async function frame(template: unknown = FRAME): Promise<UiaFallbackFrameElement> {
  const element = await put<UiaFallbackFrameElement>(template, "uia-fallback-frame");
  await waitFor(() => element.shadowRoot?.childElementCount, "nothing is shown");
  return element;
}

const [OPEN, FINISHED] = ["[part=open]", "[part=finished]"];
const PAGE = `${location.origin}/test/elements/support/page.html`;

export const FRAME_STATES = statesOf({
  idle: () => frame(),
  opened: async () => press(await withPopup(frame()), OPEN, FINISHED),
  async "window closed"() {
    const element = await withPopup(frame());
    await press(element, OPEN, FINISHED);
    await closePopup(document.querySelector("iframe")?.contentWindow as Window);
    await waitFor(
      () => element.shadowRoot?.textContent?.includes("was closed"),
      "The closed window was not noticed",
    );
  },
  blocked: async () => press(await blocked(frame()), OPEN, "[part=link]"),
  async "reported as finished"() {
    const element = await withPopup(frame());
    await press(element, OPEN, FINISHED);
    await press(element, FINISHED, ":not(:empty)[part=text]");
    await inState(element, "done");
  },
  "in a frame": async () =>
    inState(
      await frame(
        html`<uia-fallback-frame stage="s" mode="frame" url=${PAGE}></uia-fallback-frame>`,
      ),
      "open",
    ),
  "no page": () => frame(html`<uia-fallback-frame stage="s"></uia-fallback-frame>`),
  "its label a long word": () =>
    frame(
      html`<uia-fallback-frame stage="s" session="s" homeserver=${HOMESERVER}
        >${LONG_WORD}</uia-fallback-frame
      >`,
    ),
});

// <matrix-login>

const PASSWORD = "secret-password";
const SSO: TestServersOptions = {
  login: ["sso", "password"],
  identityProviders: [
    { id: "oidc-github", name: "GitHub", brand: "github" },
    { id: "oidc-university", name: LONG_WORD },
  ],
};
const MATRIX = html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`;

interface MatrixOptions {
  /** By default users sign in with a password. */
  readonly at?: TestServersOptions;
  /** Changes the servers before the element's first request. */
  readonly arrange?: () => unknown;
  readonly template?: unknown;
}

/** Shows the element, and waits for a state. */
export async function matrix(
  state: string,
  { at, arrange, template = MATRIX }: MatrixOptions = {},
): Promise<MatrixLoginElement> {
  servers = await useTestServers({ login: ["password"], accounts: { alice: PASSWORD }, ...at });
  respondAt("POST /login", slowly());
  arrange?.();
  const element = await put<MatrixLoginElement>(template, "matrix-login");
  await inState(element, state);
  return element;
}

export const WRONG_PASSWORD: MatrixOptions = { at: { accounts: { alice: "another" } } };

/** Makes the homeserver accept the password. */
export const acceptPasswords = (): void => {
  Object.assign(servers.account("alice") ?? {}, { password: PASSWORD });
};

export const UNREACHABLE: MatrixOptions = { arrange: goOffline };

/** Types a password, and submits it. */
export async function submitPassword(
  element: MatrixLoginElement,
  state: string,
  username = "alice",
): Promise<void> {
  const values = { username, password: PASSWORD };
  for (const [name, value] of Object.entries(values)) {
    const [field] = await found<HTMLInputElement>(element, `[name=${name}]`);
    field.value = value;
  }
  (await found(element, "[part=submit]"))[0].click();
  await inState(element, state);
}

/** Opens a form by its link, and submits it if it is filled in. */
async function account(
  link: "register" | "forgot",
  values?: Readonly<Record<string, string>>,
  comes = "dialog",
  { arrange, ...at }: TestServersOptions & Pick<MatrixOptions, "arrange"> = { accounts: {} },
): Promise<MatrixLoginElement> {
  const element = await matrix("ready", { at, ...(arrange && { arrange }) });
  await press(element, `[part=${link}]`, "[name=repeat]");
  for (const [name, value] of Object.entries(values ?? {})) {
    const [field] = await found<HTMLInputElement>(element, `[name=${name}]`);
    field.value = value;
  }
  if (values) await press(element, "[part=submit]", comes);
  return element;
}

/** A homeserver's answer to another user more than its administrator allows. */
const FULL = {
  errcode: "M_RESOURCE_LIMIT_EXCEEDED",
  error: "This server has exceeded its monthly active user limit",
  admin_contact: "mailto:admin@hs.example",
};
const POLICY = { "m.minimum_length": 12, "m.require_digit": true, "m.require_uppercase": true };
const NEW_USER = { username: "alice", password: "secret", repeat: "secret" };

const OAUTH: MatrixOptions = { at: { login: ["oauth", "password"] } };

/** @param opened The browser's return value for a popup: null if it blocks it. */
async function waitingForPopup(opened: object | null): Promise<void> {
  const close = (): void => undefined;
  stub(window, "open", { value: () => opened && { ...opened, close } });
  const element = await matrix("ready", {
    ...OAUTH,
    template: html`<matrix-login homeserver=${HOMESERVER} mode="popup"></matrix-login>`,
  });
  await element.start("oauth");
  await inState(element, "waiting");
}

export const MATRIX_STATES = statesOf({
  async idle() {
    const element = await matrix("idle", { template: html`<matrix-login></matrix-login>` });
    await found(element, "[part=continue]");
  },
  async "idle, with suggestions"() {
    const element = await matrix("idle", {
      template: html`<matrix-login
        suggestions="hs.example other.example"
        client-name="Lantern"
      ></matrix-login>`,
    });
    await found(element, "[part=suggestion]");
  },
  checking: () =>
    matrix("checking", { arrange: () => respondAt("/.well-known/matrix/client", never) }),
  "ready, password": () => matrix("ready"),
  "ready, password with a user ID": () =>
    matrix("ready", {
      template: html`<matrix-login
        homeserver=${HOMESERVER}
        homeserver-locked
        user-id="@alice:hs.example"
      ></matrix-login>`,
    }),
  "ready, single sign-on": () => matrix("ready", { at: { login: ["sso"] } }),
  "ready, two providers and a password": () => matrix("ready", { at: SSO }),
  "ready, OAuth 2.0": () => matrix("ready", OAUTH),
  "ready, for an app with a long name": () =>
    matrix("ready", {
      ...OAUTH,
      template: html`<matrix-login
        homeserver=${HOMESERVER}
        client-name=${LONG_WORD}
      ></matrix-login>`,
    }),
  "ready, disabled": () =>
    matrix("ready", {
      at: SSO,
      template: html`<matrix-login homeserver=${HOMESERVER} disabled></matrix-login>`,
    }),
  "ready, in the page's words": () =>
    matrix("ready", {
      at: SSO,
      template: html`<matrix-login
        homeserver=${HOMESERVER}
        logo-uri="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
      >
        <h2 slot="heading">Sign in to Lantern</h2>
        <p slot="before">You need an account of Matrix.</p>
        <p slot="after">By signing in you agree to our <a href="#terms">terms</a>.</p>
        <svg slot="idp-icon-github" width="16" height="16" aria-hidden="true"></svg>
      </matrix-login>`,
    }),
  submitting: async () =>
    submitPassword(
      await matrix("ready", { arrange: () => respondAt("POST /login", never) }),
      "submitting",
    ),
  async "redirecting to a provider"() {
    const element = await matrix("ready", OAUTH);
    await element.start("oauth");
    await inState(element, "redirecting");
  },
  "waiting for its popup": () => waitingForPopup(POPUP),
  "waiting, the popup blocked": () => waitingForPopup(null),
  "error: a wrong password": async () =>
    submitPassword(await matrix("ready", WRONG_PASSWORD), "error"),
  "error: a user of another homeserver": async () =>
    submitPassword(await matrix("ready"), "error", "@bob:other.example"),
  async "error: the homeserver is full, with a contact"() {
    const element = await matrix("ready");
    respondAt("POST /login", slowly(status(403, FULL)));
    await submitPassword(element, "error");
    await found(element, "[part=error] a");
  },
  async "error: the provider is out of order"() {
    const element = await matrix("ready", OAUTH);
    respondAt("/register", slowly(status(200)));
    await element.start("oauth");
    await inState(element, "error");
  },
  "error: an unreachable homeserver": () => matrix("error", UNREACHABLE),
  "error: no way to sign in": () => matrix("error", { at: { login: [] } }),
  "error in the page's words": () =>
    matrix("error", {
      ...UNREACHABLE,
      template: html`<matrix-login homeserver=${HOMESERVER}>
        <span slot="error-network_error">The homeserver is down. <a href="#help">Help</a></span>
      </matrix-login>`,
    }),
  "error, the homeserver fixed": () =>
    matrix("error", {
      ...UNREACHABLE,
      template: html`<matrix-login homeserver=${HOMESERVER} homeserver-locked></matrix-login>`,
    }),
  async "error: no homeserver yet"() {
    const element = await matrix("idle", { template: html`<matrix-login></matrix-login>` });
    await waitFor(() => element.shadowRoot?.querySelector("[part=continue]"));
    part(element, "continue").click();
    await inState(element, "error");
  },
  registration: () => account("register"),
  async "registration, with hints"() {
    const element = await account("register", undefined, "dialog", {
      accounts: {},
      arrange: () => respondAt("/password_policy", status(200, POLICY)),
    });
    const [field] = await found<HTMLInputElement>(element, "[name=username]");
    field.value = NEW_USER.username;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    for (const name of ["username", "password"])
      await found(element, `[name=${name}][aria-describedby]`);
  },
  async "registration, to be approved"() {
    const user = { ...NEW_USER, username: "carol", password: "secret-new", repeat: "secret-new" };
    const refusal = { errcode: "M_USER_AWAITING_APPROVAL", error: "Awaits approval" };
    const arrange = (): unknown => respondAt("POST /register", slowly(status(403, refusal)));
    await account("register", user, "[part=notice]", { arrange });
  },
  "registration, the username is taken": () => account("register", NEW_USER, WRONG, {}),
  "registration, the passwords differ": () =>
    account("register", { ...NEW_USER, repeat: "secrte" }, WRONG),
  async "registration, in the dialog"() {
    const user = { ...NEW_USER, password: "secret-new", repeat: "secret-new" };
    const element = await account("register", user, "uia-dialog", {
      accounts: {},
      uia: { registrationFlows: [[Terms]], params: PARAMS },
    });
    const [dialog] = await found<UiaDialogElement>(element, "uia-dialog");
    await inState(dialog, "awaiting-input");
    await found(dialog, ".choice");
    // It does not take the focus from someone who types.
    await waitFor(() => dialog.contains(element.shadowRoot?.activeElement ?? null));
  },
  "reset of a password": () => account("forgot"),
  success: async () =>
    submitPassword(
      await matrix("ready", {
        template: html`<matrix-login homeserver=${HOMESERVER}>
          <a slot="after-success" href="#in">Open Lantern</a>
        </matrix-login>`,
      }),
      "success",
    ),
  "success in the page's words": async () =>
    submitPassword(
      await matrix("ready", {
        template: html`<matrix-login homeserver=${HOMESERVER}>
          <p slot="success">There you are. <a href="#in">Go in</a></p>
        </matrix-login>`,
      }),
      "success",
    ),
  // This state comes last, because the page keeps the response.
  async completing() {
    history.replaceState(null, "", await responseUrl(servers));
    await matrix("completing", {
      arrange: () => respondAt("/token", never),
      template: html`<matrix-login></matrix-login>`,
    });
  },
});

// <matrix-account>

const ACCOUNT = html`<matrix-account></matrix-account>`;
const DEVICES = [
  { device_id: "LAPTOP", display_name: "Laptop", last_seen_ts: Date.now() - 3 * DAY_MS },
  { device_id: "LONG", display_name: `${LONG_WORD} `.repeat(9) },
  { device_id: "EMPTY", display_name: "", last_seen_ip: "2001:db8:85a3:8d3:1319:8a2e:370:7348" },
];

const manyDevices = (length: number): typeof DEVICES =>
  Array.from({ length }, (_, nth) => ({
    device_id: `DEVICE${nth}`,
    display_name: `Device ${nth}`,
  }));

interface AccountOptions {
  /** By default the homeserver manages the account itself, with a password. */
  readonly at?: TestServersOptions;
  readonly devices?: typeof DEVICES;
  /** Changes the servers before the element's first request. */
  readonly arrange?: () => unknown;
  readonly template?: unknown;
}

/** Shows a signed-in user's account, and waits for a state. */
export async function accountPage(
  state: string,
  { at, devices = DEVICES, arrange, template = ACCOUNT }: AccountOptions = {},
): Promise<MatrixAccountElement> {
  const alice = { password: OLD_PASSWORD, emails: ["alice@mail.example"], devices };
  servers = await useTestServers({ login: ["password"], accounts: { alice }, ...at });
  const session = signIn(servers);
  arrange?.();
  const element = await put<MatrixAccountElement>(template, "matrix-account");
  element.session = session;
  await inState(element, state);
  await element.updateComplete;
  // A poll must not depend on how fast the machine is.
  Object.assign(element.shadowRoot?.querySelector("uia-dialog") ?? {}, { pollInterval: Infinity });
  return element;
}

/** Clicks the controls with these names, one after another, and waits for the result. */
export async function clickIn(
  element: MatrixAccountElement,
  names: readonly string[],
  comes: string,
): Promise<void> {
  for (const name of names) {
    control(element, name).click();
    await element.updateComplete;
  }
  await found(element, comes);
  await element.updateComplete;
}

/** Shows the account, and clicks controls in it. */
const clicked =
  (names: readonly string[], comes: string, options?: AccountOptions) =>
  async (): Promise<MatrixAccountElement> => {
    const element = await accountPage("ready", options);
    await clickIn(element, names, comes);
    return element;
  };

/** Opens the dialog that adds an email address. */
async function addEmail(): Promise<UiaDialogElement> {
  const element = await clicked(["Add email address"], "uia-dialog:state(awaiting-input)")();
  const [dialog] = await found<UiaDialogElement>(element, "uia-dialog");
  await found(dialog, "[name=email]");
  return dialog;
}

/** Saves a device's name, and waits for the result. */
async function saveName(respond: Respond, comes: string): Promise<void> {
  const element = await clicked(["Details Laptop", "Rename Laptop"], "[id^=new-name]")();
  respondAt("/devices/LAPTOP", respond);
  await clickIn(element, ["Save"], comes);
}

/** Confirms in the dialog with the password. */
export async function confirmIn(element: MatrixAccountElement, comes: string): Promise<void> {
  const [dialog] = await found<UiaDialogElement>(element, "uia-dialog[open]");
  await fillIn(dialog, { password: OLD_PASSWORD }, "dialog");
  await found(element, comes);
}

/** Makes the next request to an endpoint fail. */
export const failOnce = (endpoint: string): unknown =>
  servers.override(endpoint, slowly(noNetwork));

const WRONG_USER = "[name=user][aria-invalid=true]";
const WITH_PROVIDER: TestServersOptions = { login: ["oauth"] };
const FORBIDDEN = { enabled: false };

/** Shows the profile of a user who has a picture, and chooses another one. */
async function pictureChosen(arrange?: () => unknown): Promise<MatrixAccountElement> {
  const bytes = await picture("teal");
  const headers = { "Content-Type": "image/png" };
  const element = await accountPage("ready", {
    arrange: () => {
      Object.assign(servers.account("alice") ?? {}, {
        avatarUrl: `mxc://${servers.serverName}/picture`,
      });
      respondAt("/picture", () => new Response(bytes, { headers }));
      arrange?.();
    },
    template: html`<matrix-account sections="profile"></matrix-account>`,
  });
  await found(element, "[part=avatar] img");
  await choosePicture(element, await picture("olive"));
  await found(element, "[part=avatar] img[alt]:not([alt=''])");
  return element;
}

export const ACCOUNT_STATES = statesOf({
  idle: () => put(ACCOUNT, "matrix-account"),
  async "being found"() {
    await accountPage("loading", { arrange: () => respondAt("", never) });
    // It is in this state while its code is loaded, too.
    await waitFor(() => requestCount("/capabilities"), "no request");
  },
  "everything that a homeserver offers": () => accountPage("ready"),
  "a name that is missing": async () => {
    const element = await clicked(["Change name"], "#display-name")();
    const [field] = await found<HTMLInputElement>(element, "#display-name");
    field.value = "";
    field.dispatchEvent(new Event("input"));
    await clickIn(element, ["Save"], WRONG);
  },
  "a picture, chosen and not saved": () => pictureChosen(),
  "a picture that is being sent": async () =>
    clickIn(await pictureChosen(() => respondAt("/upload", never)), ["Save"], "progress"),
  "a picture that is too large": async () => {
    const tooLarge = status(413, { errcode: "M_TOO_LARGE" });
    await clickIn(await pictureChosen(() => respondAt("/upload", tooLarge)), ["Save"], ".error");
  },
  "a picture to be removed, in the question": async () =>
    clickIn(await pictureChosen(), ["Cancel", "Remove picture"], "[part=question][open]"),
  "many devices, with a search that finds none": async () => {
    const element = await accountPage("ready", { devices: manyDevices(12) });
    const [field] = await found<HTMLInputElement>(element, "#filter");
    field.value = "none";
    field.dispatchEvent(new Event("input"));
    await element.updateComplete;
  },
  "many devices, with a filter": () => accountPage("ready", { devices: manyDevices(21) }),
  "a device selected, and one being renamed": clicked(
    ["Laptop", "Details Laptop", "Rename Laptop"],
    "[id^=new-name]",
  ),
  "a name being saved": () => saveName(never, "[aria-disabled]"),
  "a name that could not be saved": () => saveName(noNetwork, WRONG),
  "devices to be signed out, in the dialog": clicked(
    ["Sign out all other devices (3)"],
    "uia-dialog:state(awaiting-input)",
  ),
  async "a device signed out"() {
    const element = await clicked(["Sign out Laptop"], "uia-dialog:state(awaiting-input)")();
    await confirmIn(element, ".done");
  },
  async "the password missing, and the user ID"() {
    const element = await clicked(["Change password", "Deactivate account"], "[name=user]")();
    await press(element, "[data-section=deactivation] [part=danger]", WRONG_USER);
  },
  async "the password changed, other devices signed out"() {
    const element = await accountPage("ready");
    const [field] = await found<HTMLInputElement>(element, "[name=password]");
    field.value = "secret-new";
    (await found(element, "[name=others]"))[0].click();
    await clickIn(element, ["Change password"], "uia-dialog:state(awaiting-input)");
    await confirmIn(element, ".done");
  },
  "the other devices to be signed out with the password": async () =>
    press(await accountPage("ready"), "[name=others]", "[role=status] p"),
  "an email address, in the dialog": () => addEmail(),
  async "an email address, its message sent, in the dialog"() {
    const dialog = await addEmail();
    await fillIn(dialog, { email: "new@mail.example" }, "[name=password]");
    await fillIn(dialog, { password: OLD_PASSWORD }, ".others");
    await inState(dialog, "awaiting-input");
  },
  "an email address to be removed, in the question": clicked(
    ["Remove alice@mail.example"],
    "[part=question][open]",
  ),
  "this device to be signed out, in the question": () =>
    clicked(["Sign out This browser"], "[part=question][open]", {
      template: html`<matrix-account>
        <p slot="sign-out-note">Export your keys first.</p>
      </matrix-account>`,
    })(),
  "a device's details": clicked(["Details Laptop", "Details This browser"], "dl"),
  "a device that could not be signed out": async () => {
    const element = await clicked(["Details Laptop"], "dl")();
    servers.override("POST /delete_devices", status(500), { times: 2 });
    await clickIn(element, ["Sign out Laptop"], "[part=question][open]");
    await clickIn(element, ["Sign out"], "[part=error]");
  },
  "at a provider": () => accountPage("ready", { at: WITH_PROVIDER }),
  "at a provider without account page": () =>
    accountPage("ready", {
      at: { ...WITH_PROVIDER, metadata: { account_management_uri: undefined } },
    }),
  "everything forbidden": () =>
    accountPage("ready", {
      at: { capabilities: { "m.change_password": FORBIDDEN, "m.3pid_changes": FORBIDDEN } },
      template: html`<matrix-account sections="password contacts"></matrix-account>`,
    }),
  "error: no network": () => accountPage("error", { arrange: goOffline }),
  "error: no devices, to be tried again": () =>
    accountPage("error", { arrange: () => respondAt("/devices", status(503)) }),
  "error in the page's words": () =>
    accountPage("error", {
      arrange: goOffline,
      template: html`<matrix-account>
        <span slot="error">The homeserver is down. <a href="#help">Help</a></span>
      </matrix-account>`,
    }),
  "in the page's words": () =>
    accountPage("ready", {
      template: html`<matrix-account>
        <h2 slot="heading">Your account</h2>
        <p slot="before">It is yours.</p>
        <p slot="section-password">Ask your administrator for another password.</p>
        <p slot="after"><a href="#help">Help</a></p>
      </matrix-account>`,
    }),
  async "signed out"() {
    const element = await clicked(["Sign out This browser"], "[part=question][open]")();
    await clickIn(element, ["Sign out"], "[role=status] [part=notice]");
  },
  async "signed out, not confirmed"() {
    const element = await clicked(["Sign out This browser"], "[part=question][open]")();
    let fail = (): void => undefined;
    const failed = new Promise<void>((resolve) => (fail = resolve));
    respondAt("/logout", () => failed.then(noNetwork));
    await clickIn(element, ["Sign out"], "[role=status] [part=notice]");
    const before = textIn(element);
    fail();
    await waitFor(() => textIn(element) !== before);
  },
});

/** Every state, by element. */
export const STATES: Readonly<Record<string, readonly State[]>> = {
  "matrix-account": ACCOUNT_STATES,
  "matrix-login": MATRIX_STATES,
  "oidc-login": LOGIN_STATES,
  "oidc-callback": CALLBACK_STATES,
  "uia-dialog": DIALOG_STATES,
  "uia-fallback-frame": FRAME_STATES,
};
