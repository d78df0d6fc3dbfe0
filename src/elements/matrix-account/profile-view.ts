import { css, type CSSResult, html, nothing, type TemplateResult } from "lit";
import { asShowable } from "../../core/shared/identifiers.js";
import { errorIdOf, inputOf, renderError } from "../../ui/form/field.js";
import { renderInitial } from "../../ui/form/styles.js";
import { languagesOf, MAX_NAME_LENGTH, shortened, verbatim } from "../../ui/format-text.js";
import type { ChosenPicture, Editing, Profile } from "./profile.js";
import { IMAGE_TYPES, shownSize } from "./profile-picture.js";
import { editingKeys, renderButton } from "./section-view.js";
import { renderActionsGap, renderGap } from "./skeleton.js";

/** The places of the profile's operations. */
export const SAVE = { control: "save" };
export const REMOVE = { control: "remove" };

/**
 * The header: the user's name and picture, and the controls that change them. Its heading is the
 * user's name.
 */
export function renderProfile(profile: Profile): TemplateResult {
  const { section, editing, isCopied } = profile;
  const { isLoaded, isBusy, notice } = section;
  const isLoading = section.state.name === "loading" && !isLoaded;
  const status = isCopied
    ? section.term("copied")
    : isBusy || isLoading
      ? section.term("working")
      : "";
  return html`<section
    part="section"
    class="panel profile"
    data-section="profile"
    aria-label=${section.term("profile")}
  >
    <div class="who">
      ${renderAvatar(profile)}
      <div class="about">
        <h2 part="heading" id="profile-heading" tabindex="-1">
          ${isLoading ? renderGap(section.term("working")) : verbatim(nameOf(profile))}
        </h2>
        <div class="finding">
          <bdi part="user-id" id="user-id" dir="ltr" translate="no">${section.account.userId}</bdi>
          ${renderCopy(profile)}
        </div>
      </div>
    </div>
    <div role="status" id="profile-status" tabindex="-1">
      ${notice ? html`<div part="notice" class="done">${notice()}</div>` : nothing}
      <div class="visually-hidden">${status}</div>
    </div>
    ${isLoaded && editing ? renderEditing(profile, editing) : nothing}
    ${section.renderGeneralError()} ${section.renderError()}
    ${isLoaded && editing ? renderEditingActions(profile, editing) : renderActions(profile)}
  </section>`;
}

/** The name, or the first part of the user ID. */
function nameOf({ displayName, section }: Profile): string {
  const { userId } = section.account;
  const [, localpart] = /^@([^:]+):/.exec(userId) ?? [];
  return displayName ?? shortened(localpart ?? userId, MAX_NAME_LENGTH);
}

/** The picture that the user has chosen replaces the old one. */
function renderAvatar(profile: Profile): TemplateResult {
  const { editing, picture, section } = profile;
  const preview = editing?.name === "picture" ? editing.url : undefined;
  const isNew = preview !== undefined;
  const url = preview ?? picture;
  if (section.state.name === "loading" && !section.isLoaded) {
    return html`<div part="avatar" class="avatar gap"></div>`;
  }
  return html`<div part="avatar" class="avatar">
    ${
      url === undefined
        ? renderInitial(asShowable(nameOf(profile)))
        : html`<img
            src=${url}
            alt=${isNew ? section.term("pictureNew") : ""}
            @error=${() => profile.hide(url)}
          />`
    }
  </div>`;
}

function renderCopy(profile: Profile): TemplateResult {
  const { section, isCopied } = profile;
  return renderButton({
    label: section.term(isCopied ? "copied" : "copy"),
    id: "copy-user-id",
    about: "user-id",
    onClick: () => profile.copyUserId(section.host.shadowRoot?.getElementById("user-id")),
  });
}

function renderActions(profile: Profile): TemplateResult | typeof nothing {
  const { section, canRename, canRemovePicture } = profile;
  const rename = {
    label: section.term("nameChange"),
    id: "change-name",
    onClick: () => profile.rename(),
  };
  const remove = {
    label: section.term("pictureRemove"),
    id: "remove-picture",
    at: REMOVE,
    onClick: () => profile.removePicture(),
  };
  if (section.state.name === "loading" && !section.isLoaded) return renderActionsGap();
  return section.isLoaded
    ? html`<div part="actions">
        ${canRename ? renderButton(rename, section) : nothing} ${renderChoose(profile)}
        ${canRemovePicture ? renderButton(remove, section) : nothing}
      </div>`
    : nothing;
}

/** A button that opens the browser's file picker. */
function renderChoose(profile: Profile): unknown {
  const { section, canChangePicture } = profile;
  if (!canChangePicture) return nothing;
  const input = (): HTMLElement | null | undefined =>
    section.host.shadowRoot?.getElementById("picture-file");
  const onChange = (event: Event): void => {
    const field = inputOf(event);
    const [file] = field.files ?? [];
    if (file && !section.isBusy) profile.choose(file);
    // Lets the user choose the same file again.
    field.value = "";
  };
  return html`<input
      type="file"
      id="picture-file"
      hidden
      accept=${IMAGE_TYPES.join()}
      @change=${onChange}
    />${renderButton(
      {
        label: section.term("pictureChange"),
        id: "change-picture",
        onClick: () => input()?.click(),
      },
      section,
    )}`;
}

function renderEditing(profile: Profile, editing: Editing): TemplateResult {
  return editing.name === "display-name"
    ? renderNameField(profile, editing)
    : html`${renderProgress(profile, editing)}
        <div class="uia-fields">${renderError("picture", problemOf(profile, editing))}</div>`;
}

function renderEditingActions(profile: Profile, editing: Editing): TemplateResult {
  const { section } = profile;
  const isPicture = editing.name === "picture";
  const save = {
    label: section.term("save"),
    id: "save-profile",
    kind: "primary",
    at: SAVE,
    onClick: () => (isPicture ? profile.savePicture(editing) : profile.saveName(editing)),
  } as const;
  const cancel = {
    label: section.term("cancel"),
    id: "cancel-profile",
    onClick: () => profile.stopEditing(),
  };
  const choose = isPicture ? renderChoose(profile) : nothing;
  const hasProblem = isPicture && editing.problem !== undefined;
  // In a narrow window, Cancel stays next to Save.
  return html`<div part="actions">
    ${hasProblem ? choose : renderButton(save, section)} ${renderButton(cancel)}
    ${hasProblem ? nothing : choose}
  </div>`;
}

function renderNameField(
  profile: Profile,
  editing: Editing & { readonly name: "display-name" },
): TemplateResult {
  const { section } = profile;
  const id = "display-name";
  const missing = editing.isMissing ? section.term("fieldMissing") : undefined;
  const errorId = missing
    ? errorIdOf(id)
    : section.isErrorAt(SAVE)
      ? "profile-error-here"
      : undefined;
  return html`<div class="uia-fields">
    <label for=${id}>${section.term("displayName")}</label>
    <input
      id=${id}
      autocomplete="nickname"
      dir="auto"
      enterkeyhint="done"
      .value=${editing.value}
      aria-invalid=${errorId ? "true" : nothing}
      aria-describedby=${errorId ?? nothing}
      @input=${(event: Event) => {
        editing.value = inputOf(event).value;
        editing.isMissing = false;
        section.host.requestUpdate();
      }}
      @keydown=${editingKeys(
        () => profile.saveName(editing),
        () => profile.stopEditing(),
      )}
    />
    ${renderError(id, missing)}
  </div>`;
}

function renderProgress({ section }: Profile, { progress }: ChosenPicture): unknown {
  return section.isBusy
    ? html`<progress
        part="progress"
        aria-label=${section.term("pictureSending")}
        value=${progress ?? nothing}
      ></progress>`
    : nothing;
}

function problemOf({ section }: Profile, { problem, limit }: ChosenPicture): string | undefined {
  if (!problem) return undefined;
  const text = section.term(problem);
  if (problem !== "pictureTooLarge" || limit === undefined) return text;
  const size = shownSize(limit, languagesOf(section.host.localize, "pictureLimit"));
  return `${text} ${section.term("pictureLimit").replace("{size}", () => size)}`;
}

export const profileStyles: CSSResult = css`
  .avatar > * {
    inline-size: 100%;
    block-size: 100%;
    object-fit: cover;
  }
  .avatar > [part="initial"] {
    font-size: 2em;
  }
  .profile .finding {
    gap: calc(var(--_gap) / 2) calc(var(--_gap) * 2);
  }
  .profile .finding button {
    min-block-size: min(2.25em, var(--_height));
    padding: 0.25em 0.875em;
    font-size: 0.9375em;
  }
  .profile > .gap {
    min-block-size: var(--_height);
  }
  /* In a narrow window they have one line, as in the frame before them. */
  .profile > [part="actions"] button {
    padding-inline: min(1em, 3vw);
  }
  .profile h2:focus {
    outline: none;
  }
  .profile .uia-fields.uia-fields:not(:has(*)) {
    display: none !important;
  }
  progress {
    inline-size: 100%;
    block-size: 0.5em;
    accent-color: var(--_accent);
  }
`;
