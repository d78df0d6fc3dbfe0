// The framework-independent part of the pages that check a framework. It uses the elements only by their tag
// names: each page imports the package itself, early or late.

/** The state of a page, which its framework renders again on each change. */
export interface Shown {
  readonly login: boolean;
  readonly matrix: boolean;
  readonly callback: boolean;
  readonly dialog: boolean;
  readonly frame: boolean;
  readonly account: boolean;
  readonly label: string;
  readonly disabled: boolean;
  readonly homeserver: string;
  readonly redirectUri: string;
  readonly mode: "redirect" | "popup";
  readonly clientMetadata: { readonly clientName?: string };
  readonly open: boolean;
  readonly pollInterval: number;
  readonly supportedStages: readonly string[] | undefined;
  readonly suggestions: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
  readonly client: object | undefined;
  readonly session: EventTarget | undefined;
}

/** Whether a sign-in has returned to the page. */
const isResponse = /[?#&]state=/.test((globalThis as { readonly location?: Location }).location?.href ?? "");

export const FIRST: Shown = {
  login: true,
  // <matrix-login> would take the response, which is for <oidc-callback> here.
  matrix: !isResponse,
  callback: true,
  dialog: true,
  frame: true,
  account: true,
  label: "1",
  disabled: false,
  homeserver: "",
  redirectUri: "",
  mode: "redirect",
  clientMetadata: { clientName: "Contract" },
  open: false,
  pollInterval: 42,
  supportedStages: undefined,
  suggestions: [],
  inputs: {},
  client: undefined,
  session: undefined,
};

/** An event of an element, without secrets. */
interface RecordedEvent {
  readonly type: string;
  readonly id: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

interface Respondable extends Event {
  readonly detail: { readonly authData?: { readonly type?: string } | null };
  respondWith(response: Promise<unknown>): void;
}

/** The test uses it as `window.page`. */
export interface Page {
  shown: Shown;
  /** Renders the page with the change. */
  show: (change: Partial<Shown>) => void;
  define: () => Promise<void>;
  /** Provides a client with this user ID to the elements inside an element. */
  provide: (selector: string, userId: string) => Promise<void>;
  readonly events: RecordedEvent[];
  /** The events to cancel. */
  cancels: string[];
  /** The stages that the homeserver requires for a protected request; null: it rejects. */
  stages: string[] | null;
  /** The listeners on the document and the window. */
  readonly listeners: Set<string>;
  /** The properties of `<matrix-account>`: a client whose account has one device, and its session. */
  readonly account: Required<Pick<Shown, "client" | "session">>;
}

const refusal = (httpStatus: number, data: object): Error =>
  Object.assign(new Error(`answered ${httpStatus}`), { httpStatus, data });

const nothing = (): void => undefined;
const page: Page = {
  shown: FIRST,
  show: nothing,
  define: () => Promise.resolve(),
  provide: () => Promise.resolve(),
  events: [],
  cancels: [],
  stages: ["m.login.registration_token"],
  listeners: new Set(),
  account: {
    // Real clients are not plain objects either: Svelte would pass a proxy for a plain object.
    client: Object.assign(new EventTarget(), {
      userId: "@alice:hs.example",
      deviceId: "LAPTOP",
      whoami: () => Promise.resolve({ user_id: "@alice:hs.example" }),
      getCapabilities: () => Promise.resolve({}),
      getAuthMetadata: () => Promise.reject(refusal(404, { errcode: "M_UNRECOGNIZED" })),
      getDevices: () => Promise.resolve({ devices: [{ device_id: "LAPTOP" }] }),
      deleteMultipleDevices: () => Promise.resolve({}),
    }),
    session: Object.assign(new EventTarget(), {
      state: "signed-in",
      user: { userId: "@alice:hs.example", deviceId: "LAPTOP" },
    }),
  },
};

/** Records an event, and responds to it if it expects a response. */
export function recordEvent(event: Event): void {
  const { type, target } = event;
  // This event fires with every other.
  if (type === "statechange") return;
  const detail: RecordedEvent["detail"] = "detail" in event ? Object(event.detail) : {};
  page.events.push({ type, id: target instanceof Element ? target.id : "", detail: plain(detail) });
  if (page.cancels.includes(type)) event.preventDefault();
  if (!isRespondable(event)) return;
  if (type === "uia-do-request") event.respondWith(request(event.detail.authData ?? undefined));
  else event.respondWith(Promise.resolve({ sid: "sid", submit_url: "https://hs.example/submit" }));
}

const isRespondable = (event: Event): event is Respondable => "respondWith" in event;

/** The JSON values of a detail, without clients and errors. */
const plain = (detail: RecordedEvent["detail"]): RecordedEvent["detail"] =>
  Object.fromEntries(
    Object.entries(detail).filter(([, value]) =>
      ["string", "number", "boolean"].includes(typeof value),
    ),
  );

const completed = new Set<string>();

/** A request to a homeserver that accepts any data for a stage. */
async function request(auth: { readonly type?: string } | undefined): Promise<unknown> {
  const { stages } = page;
  if (!stages) throw refusal(403, { errcode: "M_FORBIDDEN" });
  if (auth?.type) completed.add(auth.type);
  if (stages.every((stage) => completed.has(stage))) {
    completed.clear();
    return { done: true };
  }
  const flows = [{ stages }];
  throw refusal(401, { session: "session", flows, params: {}, completed: [...completed] });
}

/** Records the current listeners of a target. */
function countListeners(target: EventTarget, name: string): void {
  const numbers = new WeakMap<object, number>();
  let last = 0;
  const key = (type: string, listener: object, options: unknown): string => {
    const number = numbers.get(listener) ?? (last += 1);
    numbers.set(listener, number);
    const capture = typeof options === "object" ? Object(options).capture : options;
    return `${name} ${type} ${number} ${Boolean(capture)}`;
  };
  const add = target.addEventListener.bind(target);
  const remove = target.removeEventListener.bind(target);
  target.addEventListener = (...[type, listener, options]: Parameters<typeof add>) => {
    add(type, listener, options);
    if (!listener) return;
    const { signal, once } = typeof options === "object" ? options : {};
    if (signal?.aborted || once) return;
    const entry = key(type, listener, options);
    page.listeners.add(entry);
    signal?.addEventListener("abort", () => page.listeners.delete(entry));
  };
  target.removeEventListener = (...[type, listener, options]: Parameters<typeof remove>) => {
    remove(type, listener, options);
    if (listener) page.listeners.delete(key(type, listener, options));
  };
}

type Render = (shown: Shown) => void;

/** The framework's part of a page. */
export interface Parts {
  /** Registers the elements. */
  readonly define: () => Promise<unknown>;
  /** The package's function with this name. */
  readonly provideAuthClient: () => Promise<
    (element: HTMLElement, client: { readonly userId: string }) => void
  >;
  /** Renders the page for the first time. @returns A function that renders it again. */
  readonly mount: (shown: Shown) => Render | Promise<Render>;
}

/**
 * Starts the page. With `late` in the query, the test defines the elements later. With `remount`, the
 * callback is removed immediately and inserted again, twice.
 */
export async function begin({ define, provideAuthClient, mount }: Parts): Promise<void> {
  const query = new URLSearchParams(location.search);
  countListeners(document, "document");
  countListeners(window, "window");
  page.define = async () => void (await define());
  if (!query.has("late")) await page.define();
  const render = await mount(page.shown);
  page.show = (change) => {
    page.shown = { ...page.shown, ...change };
    render(page.shown);
  };
  page.provide = async (selector, userId) => {
    const element = document.querySelector<HTMLElement>(selector);
    if (element) (await provideAuthClient())(element, { userId });
  };
  if (query.has("remount")) {
    for (const callback of [false, true, false, true]) {
      page.show({ callback });
      while ((document.querySelector("#callback") !== null) !== callback) {
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
  }
  Object.assign(window, { page });
}
