import { expect } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { MatrixAccountElement } from "matrix-auth-elements";
import type { LegacySession } from "matrix-auth-elements/core";
import type { TestServers, TestServersOptions } from "matrix-auth-elements/testing";
import { restoreStubs, stub } from "../../support/stub.js";
import { nextEvent, part, recordEvents, textIn } from "../support/element.js";
import {
  bodiesTo,
  goOffline,
  hold,
  HOMESERVER,
  logOf,
  useTestServers,
} from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  answer,
  choosePicture,
  clientOf,
  control,
  focusedName,
  make,
  PASSWORD,
  picture,
  settled,
  signIn,
} from "./fixture.js";

const USER_ID = "@alice:hs.example";
/** The end of the path. */
const PROFILE = "/profile/%40alice%3Ahs.example";
const COPY = `Copy ${USER_ID}`;

/** One pixel. */
const GIF = Uint8Array.from(
  atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  (character) => character.charCodeAt(0),
);

let servers: TestServers;
let session: LegacySession;
let element: MatrixAccountElement;

type Account = Exclude<NonNullable<TestServersOptions["accounts"]>[string], string>;

async function serve(account: Account = {}, options: TestServersOptions = {}): Promise<void> {
  servers = await useTestServers({
    login: ["password"],
    accounts: { alice: { password: PASSWORD, displayName: "Alice", ...account } },
    ...options,
  });
  session = signIn(servers);
}

async function show(account?: Account, options?: TestServersOptions): Promise<void> {
  await serve(account, options);
  element = await make({ session, sections: "profile" });
  await settled(element);
}

/** Shows the profile of a user who has uploaded a picture. */
async function showWithPicture(): Promise<void> {
  await serve();
  const { content_uri } = await clientOf(session).uploadContent(await picture("red"));
  await clientOf(session).setAvatarUrl(content_uri);
  element = await make({ session, sections: "profile" });
  await waitFor(() => image());
}
afterEach(restoreStubs);

const found = <E extends Element = HTMLElement>(selector: string): E | null | undefined =>
  element.shadowRoot?.querySelector<E>(selector);
const image = (): HTMLImageElement | null | undefined =>
  found<HTMLImageElement>("[part=avatar] img");
const name = (): string => part(element, "heading").textContent.trim();
const nameField = (): HTMLInputElement => {
  const field = found<HTMLInputElement>("input#display-name");
  if (!field) throw new Error("no field");
  return field;
};
const buttons = (): readonly string[] =>
  [...(element.shadowRoot?.querySelectorAll("[part=actions] button") ?? [])].map(
    ({ textContent }) => textContent.trim(),
  );
const status = (): string =>
  element.shadowRoot?.getElementById("profile-status")?.textContent.replace(/\s+/g, " ").trim() ??
  "";

/** The color of an image. */
async function colorOf(source: HTMLImageElement | null | undefined): Promise<string> {
  if (!source) return "none";
  await source.decode();
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context?.drawImage(source, 0, 0, 1, 1);
  return [...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3).join();
}

const choose = (file: File): Promise<void> => choosePicture(element, file);
async function send(file: File): Promise<void> {
  await choose(file);
  control(element, "Save").click();
}

/** The text of the error that belongs to the field or to the picture. */
async function errorText(): Promise<string> {
  const text = (): string | undefined => found(".error")?.textContent.replace(/\s+/g, " ").trim();
  await waitFor(text);
  return text() ?? "";
}

async function rename(to: string): Promise<void> {
  control(element, "Change name").click();
  await element.updateComplete;
  // Not everything that fills in a field fires an event.
  nameField().value = to;
  control(element, "Save").click();
}

describe("<matrix-account>: the user's profile", () => {
  it("is the header, with the name as the heading and the user ID below it", async () => {
    await serve();
    element = await make({ session });
    await settled(element);
    expect(element.shadowRoot?.querySelectorAll("h2")).to.have.length(1);
    expect(name()).to.equal("Alice");
    expect(part(element, "user-id").textContent).to.equal(USER_ID);
    const [first] = element.shadowRoot?.querySelectorAll("[part=section]") ?? [];
    expect(first?.contains(part(element, "heading"))).to.equal(true);
  });

  it("omits the heading if the page does so", async () => {
    await serve();
    element = await make({ session, sections: "devices" });
    await settled(element);
    expect(name()).to.equal(USER_ID);
    expect(logOf(servers).filter((each) => each.includes("/profile/"))).to.deep.equal([]);
  });

  it("reserves its space until the account is loaded", async () => {
    await serve();
    const { asked, release } = hold(servers, PROFILE);
    element = await make({ session });
    await waitFor(() => found(".avatar.gap"));
    await asked;
    await waitFor(() => found("section .avatar.gap"));
    expect(part(element, "heading").textContent.trim()).to.equal("Please wait…");
    release();
    await settled(element);
    expect(found(".gap")).to.equal(null);
  });

  for (const [what, displayName, shown] of [
    ["no name", "", "alice"],
    ["a name of spaces and invisible characters", " \u200b\u2800\u3164\u{e0041}", "alice"],
    // As a device's name.
    ["controls and marks that change directions", "Al\u202eice\u0007 B", "Al ice B"],
    ["a lone surrogate", "Alice \ud83d", "Alice \ufffd"],
    ["an emoji where the name is cut", `${"a".repeat(99)}👩‍👩‍👧`, `${"a".repeat(99)}…`],
    ["10,000 characters and a tag", `<b>${"a".repeat(10_000)}`, `<b>${"a".repeat(97)}…`],
  ] as const) {
    it(`shows a readable name of a user with ${what}`, async () => {
      await show({ displayName });
      expect(name()).to.equal(shown);
    });
  }

  it("shows a user without a profile on the homeserver", async () => {
    await serve();
    servers.override(PROFILE, () => Response.json({ errcode: "M_NOT_FOUND" }, { status: 404 }));
    element = await make({ session, sections: "profile" });
    await settled(element);
    expect(element.state).to.equal("ready");
    expect(name()).to.equal("alice");
  });

  it("loads the profile again after a failure", async () => {
    await serve();
    servers.override(PROFILE, () => Response.json({ errcode: "M_UNKNOWN" }, { status: 500 }));
    element = await make({ session, sections: "profile" });
    await settled(element);
    expect(element.state).to.equal("error");
    expect(buttons()).to.deep.equal([]);
    part(element, "retry").click();
    await waitFor(() => name() === "Alice");
  });

  it("copies the user ID, and confirms that", async () => {
    await show();
    const written: string[] = [];
    stub(navigator, "clipboard", {
      value: { writeText: async (text: string) => void written.push(text) },
    });
    control(element, COPY).click();
    await waitFor(() => status() === "Copied");
    expect(control(element, `Copied ${USER_ID}`).textContent.trim()).to.equal("Copied");
    expect(written).to.deep.equal([USER_ID]);
  });

  for (const [type, init, isHidden] of [
    ["keydown", { key: "g" }, true],
    ["keyup", { key: "g" }, true],
    ["keydown", { key: "v", ctrlKey: true }, true],
    ["keydown", { key: "A", metaKey: true }, true],
    ["keydown", { key: "Backspace", ctrlKey: true }, true],
    // With AltGr, and with Option on a Mac.
    ["keydown", { key: "@", ctrlKey: true, altKey: true }, true],
    ["keydown", { key: "Dead", altKey: true }, true],
    ["paste", {}, true],
    ["keydown", { key: "k", ctrlKey: true }, false],
    ["keydown", { key: "ArrowUp", altKey: true }, false],
    ["keydown", { key: "Tab" }, false],
  ] as const) {
    it(`${isHidden ? "hides" : "doesn't hide"} ${type} ${JSON.stringify(init)} in its fields from the page's shortcuts`, async () => {
      await show();
      (await control(element, "Change name")).click();
      await element.updateComplete;
      const select = document.createElement("select");
      element.shadowRoot?.append(select);
      const heard: Event[] = [];
      const hear = (event: Event) => heard.push(event);
      document.addEventListener(type, hear);
      const Type = type === "paste" ? ClipboardEvent : KeyboardEvent;
      // A button takes no text.
      for (const place of [nameField(), select, control(element, "Save")]) {
        place.dispatchEvent(new Type(type, { ...init, bubbles: true, composed: true }));
      }
      document.removeEventListener(type, hear);
      expect(heard).to.have.length(isHidden ? 1 : 3);
    });
  }

  for (const css of ["", "user-select: none"]) {
    it(`selects the user ID if the page may not copy, and has the style "${css}"`, async () => {
      await show();
      document.body.style.cssText = css;
      stub(navigator, "clipboard", { value: undefined });
      control(element, COPY).click();
      await waitFor(() => getSelection()?.toString() !== "");
      document.body.style.cssText = "";
      expect(control(element, COPY).textContent.trim()).to.equal("Copy");
    });
  }

  for (const login of ["password", "oauth"] as const) {
    it(`changes the name in place (${login})`, async () => {
      await show({}, { login: [login] });
      control(element, "Change name").focus();
      await sendKeys({ press: "Enter" });
      await element.updateComplete;
      await waitFor(() => element.shadowRoot?.activeElement === nameField());
      expect(nameField().value).to.equal("Alice");
      expect(nameField().enterKeyHint).to.equal("done");
      nameField().select();
      await sendKeys({ type: "Alice Example" });
      const changed = nextEvent(element, "matrix-account-change");
      await sendKeys({ press: "Enter" });
      expect((await changed).detail).to.deep.equal({ section: "profile", action: "display-name" });
      expect(servers.account("alice")?.displayName).to.equal("Alice Example");
      await element.updateComplete;
      expect(name()).to.equal("Alice Example");
      expect(status()).to.equal("Your name has been changed.");
      expect(focusedName(element)).to.equal("Change name");
    });
  }

  it("discards a new name when Escape is pressed", async () => {
    await show();
    control(element, "Change name").click();
    await element.updateComplete;
    await waitFor(() => element.shadowRoot?.activeElement === nameField());
    await sendKeys({ type: "another" });
    await sendKeys({ press: "Escape" });
    await waitFor(() => focusedName(element) === "Change name");
    expect(name()).to.equal("Alice");
    expect(bodiesTo(servers, "PUT /displayname")).to.deep.equal([]);
  });

  for (const [what, typed] of [
    ["an empty name", ""],
    ["a name of spaces", "   "],
    ["a name of invisible characters", "\u200b\u2060\u3164\u{e0041}\u2800"],
  ] as const) {
    it(`sends no request, and shows an error at the field, for ${what}`, async () => {
      await show();
      await rename(typed);
      expect(await errorText()).to.equal("Fill in this field.");
      expect(nameField().getAttribute("aria-invalid")).to.equal("true");
      expect(found(`#${nameField().getAttribute("aria-describedby")}`)?.textContent).to.include(
        "Fill in",
      );
      expect(nameField().value).to.equal(typed);
      expect(bodiesTo(servers, "PUT /displayname")).to.deep.equal([]);
    });
  }

  it("shows at the field why the homeserver rejects a name of 10,000 characters, and keeps the name", async () => {
    await show();
    const long = "a".repeat(10_000);
    await rename(long);
    expect(await errorText()).to.include("displayname is too long (max 256)");
    expect(nameField().getAttribute("aria-describedby")).to.equal("profile-error-here");
    expect(nameField().value).to.equal(long);
    await waitFor(() => element.shadowRoot?.activeElement === nameField());
    control(element, "Cancel").click();
    await element.updateComplete;
    expect(element.state).to.equal("ready");
    expect(found(".error")).to.equal(null);
    expect(name()).to.equal("Alice");
  });

  it("keeps a name that could not be sent, and sends it the next time", async () => {
    await show();
    const reconnect = goOffline(servers, "/displayname");
    await rename("Alice Example");
    expect(await errorText()).to.include("Check your connection");
    expect(nameField().value).to.equal("Alice Example");
    reconnect();
    control(element, "Save").click();
    await waitFor(() => name() === "Alice Example");
  });

  it("requests the picture with the token in a header", async () => {
    await showWithPicture();
    expect(await colorOf(image())).to.equal("255,0,0");
    expect(image()?.src).to.match(/^blob:/);
    expect(image()?.alt).to.equal("");
    const request = servers.requests.find(({ url }) => url.includes("/thumbnail/"));
    expect(request?.url).to.not.include("token");
    expect(request?.headers.get("Authorization")).to.match(/^Bearer /);
  });

  it("shows a picture from a homeserver without authenticated media", async () => {
    await serve({ avatarUrl: "mxc://hs.example/old" });
    const bytes = await picture("blue");
    servers.override("/client/v1/media/thumbnail/hs.example/old", () =>
      Response.json({ errcode: "M_UNRECOGNIZED" }, { status: 404 }),
    );
    servers.override(
      "/media/v3/thumbnail/hs.example/old",
      () => new Response(bytes, { headers: { "Content-Type": "image/png" } }),
    );
    element = await make({ session, sections: "profile" });
    await waitFor(() => image());
    expect(await colorOf(image())).to.equal("0,0,255");
    expect(servers.requests.at(-1)?.headers.has("Authorization")).to.equal(false);
  });

  it("shows the initial instead of a homeserver's SVG document", async () => {
    await serve({ avatarUrl: "mxc://hs.example/svg" });
    const svg = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    servers.override(
      "/thumbnail/hs.example/svg",
      () => new Response(svg, { headers: { "Content-Type": "image/svg+xml" } }),
    );
    element = await make({ session, sections: "profile" });
    await settled(element);
    await untilQuiet();
    expect(image()).to.equal(null);
    expect(part(element, "initial").dataset["initial"]).to.equal("A");
    expect(element.state).to.equal("ready");
  });

  it("shows the initial if the browser can't show the picture, such as under a content security policy", async () => {
    await showWithPicture();
    image()?.dispatchEvent(new Event("error"));
    await element.updateComplete;
    expect(image()).to.equal(null);
    expect(part(element, "initial").dataset["initial"]).to.equal("A");
    await choose(await picture("blue"));
    await waitFor(() => image());
    image()?.dispatchEvent(new Event("error"));
    await element.updateComplete;
    expect(image()).to.equal(null);
    expect(buttons()).to.include("Save");
  });

  it("previews a picture, sends it, and shows it", async () => {
    await showWithPicture();
    await choose(await picture("blue", "secret-name.png"));
    await waitFor(() => image()?.alt === "New picture");
    expect(await colorOf(image())).to.equal("0,0,255");
    expect(logOf(servers).filter((each) => each.includes("/upload"))).to.have.length(1);
    expect(focusedName(element)).to.equal("Save");
    const changed = nextEvent(element, "matrix-account-change");
    control(element, "Save").click();
    expect((await changed).detail).to.deep.equal({ section: "profile", action: "avatar" });
    await element.updateComplete;
    expect(status()).to.equal("Your picture has been changed.");
    expect(await colorOf(image())).to.equal("0,0,255");
    expect(image()?.alt).to.equal("");
    expect(focusedName(element)).to.equal("Change picture");
    expect(bodiesTo(servers, "PUT /avatar_url").at(-1)).to.deep.equal({
      avatar_url: servers.account("alice")?.avatarUrl,
    });
    expect(logOf(servers).join()).to.not.include("secret-name");
  });

  it("has Save and Cancel in one line, even if the next button has no room there", async () => {
    await showWithPicture();
    await choose(await picture("blue"));
    await waitFor(() => image()?.alt === "New picture");
    element.style.inlineSize = "300px";
    const [save, cancel, change] = buttons().map(
      (label) => control(element, label).getBoundingClientRect().top,
    );
    expect(buttons()).to.deep.equal(["Save", "Cancel", "Change picture"]);
    expect(cancel).to.equal(save);
    expect(change).to.be.above(save ?? NaN);
  });

  /** A photo with these bytes of Exif, in a segment of the file. */
  async function photo(...exif: readonly BlobPart[]): Promise<File> {
    const canvas = new OffscreenCanvas(2000, 1000);
    canvas.getContext("2d")?.fillRect(0, 0, 2000, 1000);
    const jpeg = await canvas.convertToBlob({ type: "image/jpeg" });
    const content = new Blob(["Exif\0\0", ...exif]);
    const length = content.size + 2;
    const segment = [Uint8Array.of(0xff, 0xe1, length >> 8, length & 255), content];
    const type = "image/jpeg";
    return new File([jpeg.slice(0, 2), ...segment, jpeg.slice(2)], "photo.jpg", { type });
  }

  /** Big-endian, with one entry: the orientation of a camera that was held upright. */
  const UPRIGHT = Uint8Array.of(
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1],
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0],
  );

  /** Saves a chosen file, and returns what the homeserver has got. */
  async function saved(file: File): Promise<Blob> {
    await show();
    const changed = nextEvent(element, "matrix-account-change");
    await send(file);
    await changed;
    const { avatarUrl = "" } = servers.account("alice") ?? {};
    return clientOf(session).getThumbnail(avatarUrl, { width: 192, height: 192 });
  }

  it("sends a photo smaller, upright, and without the place where it was taken", async () => {
    const file = await photo(UPRIGHT, "51.5 N, 0.1 W");
    expect(await file.text()).to.include("51.5 N");
    const sent = await saved(file);
    expect(sent.type).to.equal("image/jpeg");
    expect(await sent.text())
      .to.not.include("Exif")
      .and.not.include("51.5 N");
    const { width, height } = await createImageBitmap(sent);
    expect([width, height]).to.deep.equal([512, 1024]);
  });

  it("sends a photo that is larger than the homeserver accepts", async () => {
    const file = await photo(UPRIGHT);
    const large = new File([file, new Uint8Array(50 * 2 ** 20)], file.name, { type: file.type });
    expect((await saved(large)).size).to.be.below(2 ** 20);
  });

  it("sends a GIF as it is, because it can be animated", async () => {
    const sent = await saved(new File([GIF], "moving.gif", { type: "image/gif" }));
    expect(sent.type).to.equal("image/gif");
    expect([...new Uint8Array(await sent.arrayBuffer())]).to.deep.equal([...GIF]);
  });

  it("removes the place from a photo whose name ends like a GIF's", async () => {
    const file = await photo(UPRIGHT, "51.5 N, 0.1 W");
    const sent = await saved(new File([file], "photo.gif", { type: "image/gif" }));
    expect(await sent.text()).to.not.include("51.5 N");
  });

  it("shows that a picture is being sent, and stops the upload with Cancel", async () => {
    await show();
    const { asked, release } = hold(servers, "/upload");
    await send(await picture("blue"));
    await asked;
    await waitFor(() => found("progress"));
    expect(found("progress")?.getAttribute("aria-label")).to.equal("Sending the picture…");
    control(element, "Cancel").click();
    release();
    await waitFor(() => focusedName(element) === "Change picture");
    await untilQuiet();
    expect(bodiesTo(servers, "PUT /avatar_url")).to.deep.equal([]);
    expect(element.state).to.equal("ready");
    expect(image()).to.equal(null);
  });

  it("shows that the picture is being sent while the homeserver's limit is not known", async () => {
    await show();
    const { asked, release } = hold(servers, "/config");
    await choose(await picture("blue"));
    await asked;
    control(element, "Save").click();
    await element.updateComplete;
    expect(control(element, "Save").ariaBusy).to.equal("true");
    release();
    await waitFor(() => status() === "Your picture has been changed.");
  });

  it("removes the picture after a question, with Cancel in focus", async () => {
    await showWithPicture();
    control(element, "Remove picture").click();
    await waitFor(() => focusedName(element) === "Cancel");
    expect(textIn(element)).to.include("Remove your profile picture?");
    expect(servers.account("alice")?.avatarUrl).to.match(/^mxc:/);
    const changed = nextEvent(element, "matrix-account-change");
    await answer(element, "Remove picture");
    expect((await changed).detail).to.deep.equal({ section: "profile", action: "avatar" });
    await element.updateComplete;
    expect(servers.account("alice")?.avatarUrl).to.equal("");
    expect(status()).to.equal("Your picture has been removed.");
    expect(image()).to.equal(null);
    expect(buttons()).to.not.include("Remove picture");
  });

  it("shows immediately that a picture is larger than the homeserver accepts", async () => {
    await show();
    await choose(new File([GIF, new Uint8Array(50 * 2 ** 20)], "large.gif", { type: "image/gif" }));
    expect(await errorText()).to.equal(
      "This picture is too large for the homeserver. The limit is 10 MB.",
    );
    expect(buttons()).to.deep.equal(["Change picture", "Cancel"]);
    expect(focusedName(element)).to.equal("Change picture");
    expect(logOf(servers).filter((each) => each.includes("/upload"))).to.deep.equal([]);
  });

  for (const [what, refusal] of [
    [
      "the homeserver",
      () => Response.json({ errcode: "M_TOO_LARGE", error: "Too big" }, { status: 413 }),
    ],
    ["a proxy", () => new Response("<h1>Too large</h1>", { status: 413 })],
  ] as const) {
    it(`shows that a picture is too large for ${what}, without a media config`, async () => {
      await show();
      servers.override("/config", () => Response.json({}, { status: 404 }), { times: 2 });
      servers.override("/upload", refusal);
      await send(await picture("red"));
      expect(await errorText()).to.equal("This picture is too large for the homeserver.");
      expect(element.state).to.equal("ready");
      expect(image()?.alt).to.equal("New picture");
    });
  }

  const SVG = "<svg xmlns='http://www.w3.org/2000/svg'/>";
  const noPictures = [
    ["a text", new File(["text"], "a.txt", { type: "text/plain" })],
    ["a text with the name of a picture", new File(["text"], "a.png", { type: "image/png" })],
    ["an SVG document", new File([SVG], "a.svg", { type: "image/svg+xml" })],
    ["an SVG document with a picture's name", new File([SVG], "a.png", { type: "image/png" })],
    ["an empty file", new File([], "a.png", { type: "image/png" })],
    ["a file without a type", new File(["a"], "a")],
  ] as const;
  for (const [what, file] of noPictures) {
    it(`does not send ${what}`, async () => {
      await show();
      await choose(file);
      expect(await errorText()).to.include("can’t be shown as a picture");
      expect(image()).to.equal(null);
      expect(buttons()).to.deep.equal(["Change picture", "Cancel"]);
    });
  }

  it("keeps a picture that the homeserver rejects, and shows the reason", async () => {
    await show();
    servers.override("/upload", () =>
      Response.json({ errcode: "M_FORBIDDEN", error: "No uploads for guests" }, { status: 403 }),
    );
    await send(await picture("red"));
    expect(await errorText()).to.include("No uploads for guests");
    expect(image()?.alt).to.equal("New picture");
    expect(buttons()).to.include("Save");
  });

  it("keeps a picture whose upload failed, and sends it only once", async () => {
    await show();
    const reconnect = goOffline(servers, "/upload");
    await send(await picture("red"));
    expect(await errorText()).to.include("Check your connection");
    reconnect();
    servers.disconnect("/avatar_url");
    control(element, "Save").click();
    await waitFor(() => bodiesTo(servers, "PUT /avatar_url").length === 1);
    await waitFor(() => element.state === "error");
    const changed = nextEvent(element, "matrix-account-change");
    control(element, "Save").click();
    await changed;
    expect(logOf(servers).filter((each) => each.includes("/upload"))).to.have.length(2);
  });

  const OLD_NAME = { "m.set_displayname": { enabled: false } };
  const OLD_PICTURE = { "m.set_avatar_url": { enabled: false } };
  const NEW = (rest: object) => ({ "m.profile_fields": { enabled: true, ...rest } });
  for (const [what, capabilities, allowed] of [
    ["nothing", NEW({ enabled: false }), []],
    ["only names", NEW({ allowed: ["displayname"] }), ["Change name"]],
    ["all but names", NEW({ disallowed: ["displayname"] }), ["Change picture"]],
    ["only names, in the former way", OLD_PICTURE, ["Change name"]],
    ["only pictures, in the former way", OLD_NAME, ["Change picture"]],
    [
      "both, whatever the former way says",
      { ...OLD_NAME, ...NEW({}) },
      ["Change name", "Change picture"],
    ],
  ] as const) {
    it(`offers the changes that the homeserver allows: ${what}`, async () => {
      await show({}, { capabilities });
      expect(name()).to.equal("Alice");
      expect(buttons()).to.deep.equal(allowed);
    });
  }

  it("does not set a picture for a session that ends while it is sent", async () => {
    await show();
    const { asked, release } = hold(servers, "/upload");
    await send(await picture("red"));
    await asked;
    await session.signOut();
    release();
    await waitFor(() => element.state === "idle");
    await untilQuiet();
    expect(bodiesTo(servers, "PUT /avatar_url")).to.deep.equal([]);
    expect(found("section")).to.equal(null);
  });

  it("does not set a picture for an account that it wasn't chosen for", async () => {
    await serve({}, { accounts: { alice: { password: PASSWORD }, bob: { password: PASSWORD } } });
    element = await make({ session, sections: "profile" });
    await settled(element);
    const { asked, release } = hold(servers, "/upload");
    await send(await picture("red"));
    await asked;
    const events = recordEvents(element, "matrix-account-change");
    element.session = new (session.constructor as typeof LegacySession)(servers.signIn("bob"));
    release();
    await waitFor(() => element.userId === "@bob:hs.example");
    await settled(element);
    await untilQuiet();
    expect(bodiesTo(servers, "PUT /avatar_url")).to.deep.equal([]);
    expect(events).to.deep.equal([]);
    expect(buttons()).to.deep.equal(["Change name", "Change picture"]);
  });

  it("revokes the URLs of its pictures", async () => {
    await showWithPicture();
    await choose(await picture("blue"));
    await waitFor(() => image()?.alt === "New picture");
    const preview = image()?.src ?? "";
    control(element, "Cancel").click();
    await element.updateComplete;
    const shown = image()?.src ?? "";
    const canLoad = async (src: string): Promise<boolean> => {
      const loaded = Object.assign(new Image(), { src }).decode();
      return loaded.then(
        () => true,
        () => false,
      );
    };
    expect(await canLoad(preview)).to.equal(false);
    expect(await canLoad(shown)).to.equal(true);
    element.remove();
    await untilQuiet();
    expect(await canLoad(shown)).to.equal(false);
  });

  /** A client of the page's own, with what every client must have. */
  const ownClient = (): object => {
    const client = clientOf(session);
    return {
      baseUrl: HOMESERVER,
      userId: USER_ID,
      deviceId: client.deviceId,
      whoami: () => client.whoami(),
      getCapabilities: () => client.getCapabilities(),
      getAuthMetadata: () => client.getAuthMetadata(),
      getDevices: () => client.getDevices(),
      deleteMultipleDevices: () => client.deleteMultipleDevices([]),
    };
  };
  const getProfileInfo = () => clientOf(session).getProfileInfo(USER_ID);

  it("shows only the actions that a page's own client supports", async () => {
    await serve({ avatarUrl: "mxc://hs.example/any" });
    const client = { ...ownClient(), getProfileInfo };
    element = await make({ client: client as never, sections: "profile devices" });
    await settled(element);
    expect(name()).to.equal("Alice");
    expect(found("[data-section=profile]")?.querySelectorAll("button")).to.have.length(1);
    element.client = ownClient() as never;
    await waitFor(() => textIn(element).startsWith(USER_ID));
    await settled(element);
    expect(found("[data-section=profile]")).to.equal(null);
  });

  it("loads the picture with matrix-js-sdk, which has no method for thumbnails, at the old path if the new one fails", async () => {
    await serve({ avatarUrl: "mxc://hs.example/any" });
    const asked: unknown[] = [];
    const bytes = await picture("lime");
    const http = {
      async authedRequest(...request: unknown[]) {
        asked.push(request);
        // Some homeservers reject the preflight of a path that they know only without it.
        if (asked.length === 1)
          throw Object.assign(new Error("fetch failed"), { name: "ConnectionError" });
        return bytes;
      },
    };
    const client = { ...ownClient(), getProfileInfo, http };
    element = await make({ client: client as never, sections: "profile" });
    await waitFor(() => image());
    expect(await colorOf(image())).to.equal("0,255,0");
    const requestTo = (prefix: string) => [
      "GET",
      "/thumbnail/hs.example/any",
      { width: 192, height: 192, method: "crop" },
      undefined,
      { prefix, rawResponseBody: true },
    ];
    expect(asked).to.deep.equal(["/_matrix/client/v1/media", "/_matrix/media/v3"].map(requestTo));
  });

  it("loads no picture with matrix-js-sdk whose URL would be another path", async () => {
    for (const server of ["..", ".", "%2e%2e", "[", ""]) {
      await serve({ avatarUrl: `mxc://${server}/any` });
      const asked: unknown[] = [];
      const http = { authedRequest: async (...request: unknown[]) => void asked.push(request) };
      const client = { ...ownClient(), getProfileInfo, http };
      element = await make({ client: client as never, sections: "profile" });
      await settled(element);
      await untilQuiet();
      expect(asked, server).to.deep.equal([]);
    }
  });
});
