import type { TemplateResult } from "lit";
import type { AuthErrorOptions } from "../../core/http/auth-error.js";
import { RequestError } from "../../core/http/errors.js";
import { isJsonObject, textIn } from "../../core/http/json.js";
import { asClientError } from "../../errors/client-error.js";
import type { CodedError } from "../../errors/coded-error.js";
import { isReadable, shownName } from "../../ui/format-text.js";
import { Operation } from "../../ui/operation.js";
import type { ShownAccount } from "./account.js";
import { isSessionOver } from "./errors.js";
import { findSizeLimit, loadPicture, preparePicture } from "./profile-picture.js";
import { REMOVE, renderProfile, SAVE } from "./profile-view.js";
import type { Section, SectionContent, SectionPart } from "./section.js";

/** The time that "Copied" is shown. */
const COPIED_MS = 3000;

/** The change that the user is making. It stays until it is saved or cancelled. */
export type Editing =
  { readonly name: "display-name"; value: string; isMissing?: boolean } | ChosenPicture;

/** A picture that the user has chosen. It is shown before it is sent. */
export interface ChosenPicture {
  readonly name: "picture";
  /** Resolves when it is known whether the picture can be sent. */
  readonly checked: Promise<void>;
  /** What is sent. Until that is ready, and if the file isn't a picture, undefined. */
  picture?: Blob;
  /** The object URL of the preview; undefined if there is none, or the browser can't show it. */
  url?: string | undefined;
  problem?: "pictureInvalid" | "pictureTooLarge";
  /** The homeserver's limit, in bytes, if it is known. */
  limit?: number | undefined;
  /**
   * The fraction that has been sent, from 0 to 1. Undefined if nothing is being sent, or if the
   * client doesn't report progress.
   */
  progress?: number | undefined;
  /**
   * The `mxc://` URL of the uploaded file. The file is not sent again if only a later step has
   * failed.
   */
  uploaded?: string;
}

/** The user's name and picture. It is the header of the element. */
export class Profile implements SectionContent, SectionPart {
  readonly isFramed = true;
  readonly section: Section;
  editing: Editing | undefined;
  /** As the homeserver has it; undefined until it is loaded. */
  #profile:
    { readonly name: string | undefined; readonly avatarUrl: string | undefined } | undefined;
  /** The object URL of the picture. */
  #picture: string | undefined;
  readonly #pictureLoading = new Operation();
  #copiedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(section: Section) {
    this.section = section;
    section.add(this);
  }

  get isLoaded(): boolean {
    return this.#profile !== undefined;
  }

  /** Undefined if the user has no readable name. */
  get displayName(): string | undefined {
    return shownName(this.#profile?.name);
  }

  get picture(): string | undefined {
    return this.#picture;
  }

  /** Whether the user ID was copied just now. */
  get isCopied(): boolean {
    return this.#copiedTimer !== undefined;
  }

  get canRename(): boolean {
    const { account } = this.section;
    return !!account.client.setDisplayName && allows(account, "displayname", "m.set_displayname");
  }

  get canChangePicture(): boolean {
    return !!this.section.account.client.uploadContent && this.#canSetAvatar;
  }

  get canRemovePicture(): boolean {
    return this.#profile?.avatarUrl !== undefined && this.#canSetAvatar;
  }

  get #canSetAvatar(): boolean {
    const { account } = this.section;
    return !!account.client.setAvatarUrl && allows(account, "avatar_url", "m.set_avatar_url");
  }

  rename(): void {
    this.#edit({ name: "display-name", value: this.#profile?.name ?? "" }, "display-name");
  }

  async saveName(editing: Editing & { name: "display-name" }): Promise<void> {
    const { section } = this;
    const { client } = section.account;
    editing.value = section.valueIn("display-name");
    const name = editing.value.trim();
    editing.isMissing = !isReadable(name);
    section.host.requestUpdate();
    if (editing.isMissing) return section.focus("display-name");
    await section.change(async () => client.setDisplayName?.(name), {
      at: SAVE,
      done: () => {
        this.#profile = { name, avatarUrl: this.#profile?.avatarUrl };
        this.#finish(editing, "change-name");
        section.report({ action: "display-name" }, () => section.term("nameChanged"));
      },
    });
    if (this.editing === editing) section.focus("display-name");
  }

  /** Shows a file that the user has chosen. */
  choose(file: Blob): void {
    const { client } = this.section.account;
    const check = async (): Promise<void> => {
      const [limit, picture] = await Promise.all([findSizeLimit(client), preparePicture(file)]);
      if (this.editing !== editing) return;
      if (picture) Object.assign(editing, { picture, url: URL.createObjectURL(picture) });
      const isLarge = limit !== undefined && picture && picture.size > limit;
      const problem = !picture ? "pictureInvalid" : isLarge ? "pictureTooLarge" : undefined;
      Object.assign(editing, { limit, problem });
      this.section.host.requestUpdate();
      if (problem) this.section.focus("change-picture");
    };
    const editing: ChosenPicture = { name: "picture", checked: check() };
    this.#edit(editing, "save-profile");
  }

  /** Sends the picture and sets it. It is only ever sent to the account that it was chosen for. */
  async savePicture(editing: ChosenPicture): Promise<void> {
    const { section } = this;
    const { client } = section.account;
    let url: string;
    await section.change(
      async () => client.setAvatarUrl?.(url),
      {
        at: SAVE,
        done: () => {
          this.#pictureChanged(url, editing.picture);
          this.#finish(editing, "change-picture");
          section.report({ action: "avatar" }, () => section.term("pictureChanged"));
        },
        refused: (error) => {
          if (!isTooLarge(error)) return false;
          editing.problem = "pictureTooLarge";
          section.focus("change-picture");
          return true;
        },
      },
      async (set, signal) => {
        await editing.checked;
        const { picture, problem } = editing;
        if (!picture || problem || this.editing !== editing) return;
        url = editing.uploaded ??= await this.#upload(editing, picture, signal);
        signal.throwIfAborted();
        await set(null, false);
      },
    );
    editing.progress = undefined;
    section.host.requestUpdate();
  }

  /**
   * Called if the browser can't show an image, for example because of the page's content security
   * policy.
   */
  hide(url: string): void {
    const { editing } = this;
    if (editing?.name === "picture" && editing.url === url) this.#endPreview(editing);
    if (this.#picture === url) this.#setPicture(undefined);
    this.section.host.requestUpdate();
  }

  async removePicture(): Promise<void> {
    const { section } = this;
    await section.ask(
      () => ({ heading: section.term("pictureRemoveAsk"), confirm: section.term("pictureRemove") }),
      async () => section.account.client.setAvatarUrl?.(""),
      {
        at: REMOVE,
        done: () => {
          this.#pictureChanged();
          section.focus("change-picture");
          section.report({ action: "avatar" }, () => section.term("pictureRemoved"));
        },
      },
    );
  }

  /** Called when the user cancels a change. Also cancels the request. */
  stopEditing(): void {
    const { editing, section } = this;
    if (!editing) return;
    section.cancel();
    section.dismiss();
    this.#finish(editing, editing.name === "display-name" ? "change-name" : "change-picture");
  }

  /**
   * Copies the user ID. @param element The element with the user ID as its text. If the browser
   * doesn't allow copying, the text is selected instead.
   */
  async copyUserId(element: Element | null | undefined): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.section.account.userId);
    } catch {
      if (element) getSelection()?.selectAllChildren(element);
      return;
    }
    clearTimeout(this.#copiedTimer);
    this.#copiedTimer = setTimeout(() => {
      this.#copiedTimer = undefined;
      this.section.host.requestUpdate();
    }, COPIED_MS);
    this.section.host.requestUpdate();
  }

  render(): TemplateResult {
    return renderProfile(this);
  }

  readonly load = async (signal: AbortSignal): Promise<void> => {
    const { client, userId } = this.section.account;
    const profile: unknown = await client
      .getProfileInfo?.(userId, undefined, { signal })
      .catch((error: unknown) => {
        // The user has neither a name nor a picture.
        if (asClientError(error).code !== "M_NOT_FOUND") throw error;
      });
    signal.throwIfAborted();
    const { displayname, avatar_url } = isJsonObject(profile) ? profile : {};
    const last = this.#profile;
    const url = textIn(avatar_url);
    this.#profile = { name: textIn(displayname), avatarUrl: url };
    if (url === last?.avatarUrl && (this.#picture || !url)) return;
    // The rest of the account doesn't wait for the picture.
    void this.#loadPicture(url);
  };

  async #loadPicture(url: string | undefined): Promise<void> {
    const { client } = this.section.account;
    if (!url) this.#setPicture(undefined);
    else {
      await this.#pictureLoading.run(async (signal) => {
        const picture = await loadPicture(client, url, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          // A picture that can't be loaded isn't reported, but the end of the session is.
          if (isSessionOver(asClientError(error))) this.section.reportFailure(error);
          return undefined;
        });
        signal.throwIfAborted();
        this.#setPicture(picture && URL.createObjectURL(picture));
      });
    }
  }

  async #upload(editing: ChosenPicture, picture: Blob, signal: AbortSignal): Promise<string> {
    const { section } = this;
    // matrix-js-sdk's client takes a controller instead of a signal.
    const abortController = new AbortController();
    const abort = (): void => abortController.abort();
    signal.addEventListener("abort", abort);
    try {
      const uploaded: unknown = await section.account.client.uploadContent?.(picture, {
        type: picture.type,
        // Leave out the file's name, which can be private.
        includeFilename: false,
        progressHandler: ({ loaded, total }) => {
          editing.progress = total > 0 ? loaded / total : undefined;
          section.host.requestUpdate();
        },
        abortController,
        signal,
      });
      const url = isJsonObject(uploaded) ? textIn(uploaded["content_uri"]) : undefined;
      if (url) return url;
      throw new RequestError("response_not_json", "The response contains no valid content_uri");
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Called when the homeserver has confirmed a new picture, or its removal. */
  #pictureChanged(url?: string, picture?: Blob): void {
    // The confirmation might arrive after the end of the section.
    if (this.section.state.name === "closed") return;
    this.#pictureLoading.cancel();
    this.#profile = { name: this.#profile?.name, avatarUrl: url };
    this.#setPicture(picture && URL.createObjectURL(picture));
  }

  #edit(editing: Editing, focus: string): void {
    this.#release();
    this.section.dismiss();
    this.section.notice = undefined;
    this.editing = editing;
    this.section.focus(focus);
  }

  /** Ends the editing of a field, unless the user already edits something else. */
  #finish(editing: Editing, focus: string): void {
    if (this.editing !== editing) return;
    this.#release();
    this.section.focus(focus);
  }

  #release(): void {
    if (this.editing?.name === "picture") this.#endPreview(this.editing);
    this.editing = undefined;
  }

  #endPreview(editing: ChosenPicture): void {
    if (editing.url) URL.revokeObjectURL(editing.url);
    editing.url = undefined;
  }

  #setPicture(url: string | undefined): void {
    if (this.#picture) URL.revokeObjectURL(this.#picture);
    this.#picture = url;
    this.section.host.requestUpdate();
  }

  close(): void {
    clearTimeout(this.#copiedTimer);
    this.#pictureLoading.cancel();
    this.#release();
    this.#setPicture(undefined);
  }
}

/** Proxies respond with their own page, without an error code. */
const isTooLarge = ({ code, httpStatus }: CodedError & AuthErrorOptions): boolean =>
  code === "M_TOO_LARGE" || httpStatus === 413;

/**
 * Whether the homeserver lets the user set a field.
 *
 * @param former The capability of homeservers before Matrix 1.16.
 * @see https://spec.matrix.org/v1.19/client-server-api/#mprofile_fields-capability
 */
function allows(account: ShownAccount, field: string, former: string): boolean {
  const fields = account.capability("m.profile_fields");
  if (!isJsonObject(fields)) return !account.forbids(former);
  const { enabled, allowed, disallowed } = fields;
  if (enabled === false) return false;
  if (Array.isArray(allowed)) return allowed.includes(field);
  return !(Array.isArray(disallowed) && disallowed.includes(field));
}
