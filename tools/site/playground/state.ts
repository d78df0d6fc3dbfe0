// The user's choices as parameters, in the page's URL and for the preview.

/**
 * The state of the tab, which the preview shares, and continues with after the return from the
 * provider.
 */
const KEY = "matrix-auth-elements:playground";

export const keep = (params: URLSearchParams) => sessionStorage.setItem(KEY, params.toString());

export const kept = () => new URLSearchParams(sessionStorage.getItem(KEY) ?? "");

const THEME_KEY = "vitepress-theme-appearance";

/** The reader's choice on the site's pages. Empty: the system's theme. */
export function siteTheme(): string {
  const theme = localStorage.getItem(THEME_KEY) ?? "";
  return ["dark", "light"].includes(theme) ? theme : "";
}

export const keepSiteTheme = (theme: string) => localStorage.setItem(THEME_KEY, theme);

export const DEFAULT_ELEMENT = "matrix-login";

export type State = ReturnType<typeof stateOf>;

export function stateOf(params: URLSearchParams) {
  const one = (name: string) => params.get(name) ?? "";
  /** The values of a kind, by name. */
  const group = (kind: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      [...params]
        .filter(([name, value]) => name.startsWith(`${kind}:`) && value !== "")
        .map(([name, value]) => [name.slice(kind.length + 1), value]),
    );
  const slotNames = group("slot-name");
  return {
    /** The element's tag. */
    element: one("element") || DEFAULT_ELEMENT,
    attributes: group("attribute"),
    /** `error-(code)` is a slot for each code. */
    slots: Object.entries(group("slot")).map(([name, text]) => ({
      name: name.replace(/\(.*\)/, () => slotNames[name]?.trim() ?? ""),
      text,
    })),
    tokens: group("token"),
    /** CSS declarations, by part. */
    parts: group("part"),
    /** The names of the parts to outline. */
    outlined: Object.keys(group("outline")),
    /** The names of the events that the code listens to. */
    events: Object.keys(group("event")),
    /** The homeserver's sign-in method. Empty: the element's default. */
    login: one("login"),
    stage: one("stage"),
    error: one("error"),
    /** Whether the error happens only to the next request. */
    once: one("once") !== "",
    language: one("language") || "en",
    /** Empty: the language's direction. */
    direction: one("direction"),
    /** Empty: the system's theme. */
    theme: one("theme"),
    width: one("width"),
    /** The name of a custom string. */
    textName: one("text-name"),
    text: one("text"),
  };
}

const RIGHT_TO_LEFT = ["ar", "fa", "he"];

export const directionOf = ({ language, direction }: State) =>
  direction || (RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr");
