import { html, nothing, type TemplateResult } from "lit";
import { field, valueOf } from "../../../ui/lazy/field.js";
import { LightForm } from "../../../ui/lazy/form.js";
import { insert, isolated } from "../../../ui/lazy/format-text.js";
import type { Account } from "./account.js";
import { type AccountModel, AccountSection, renderButton, renderChoice } from "./section.js";

/** Deactivates the account, once the user has typed its user ID. */
export class DeactivationSection extends AccountSection {
  readonly name = "deactivation";
  readonly heading = "deactivate";
  readonly #form: LightForm;
  #isOpen = false;
  /** Whether another user ID was typed. */
  #isRefused = false;
  #isRefusalNew = false;

  constructor(model: AccountModel, account: Account) {
    super(model, account);
    this.#form = new LightForm(model.host, "fields-deactivation");
  }

  override remove(): void {
    super.remove();
    this.#form.remove();
  }

  override updated(): void {
    if (!this.#isOpen) return;
    const label = insert(this.term("deactivateConfirm"), "user", isolated(this.account.userId));
    const fields = html`${field(this.#form, {
      name: "user",
      label,
      autocomplete: "off",
      error: this.#isRefused ? label : undefined,
    })}${renderChoice(this.#form, "erase", this.term("eraseMessages"))}`;
    this.#form.show({
      purpose: this.account.userId,
      fields,
      busy: this.isBusy,
      submit: () => void this.#submit(),
    });
    if (this.#isRefusalNew) this.#form.focusInvalid();
    this.#isRefusalNew = false;
  }

  protected override renderContent(): TemplateResult {
    return html`<p class="warning">${this.term("deactivateWarning")}</p>
      <details
        @toggle=${({ currentTarget }: Event) => {
          this.#isOpen = (currentTarget as HTMLDetailsElement).open;
          this.model.host.requestUpdate();
        }}
      >
        <summary>${this.term("continue")}</summary>
        <slot name="fields-deactivation"></slot>
        ${
          this.#isOpen
            ? renderButton({
                label: this.term("deactivate"),
                kind: "danger",
                busy: this.isBusy,
                onClick: () => this.#form.submit(),
              })
            : nothing
        }
      </details>`;
  }

  async #submit(): Promise<void> {
    const values = new FormData(this.#form.element);
    this.#isRefused = this.#isRefusalNew = valueOf(values, "user") !== this.account.userId;
    this.model.host.requestUpdate();
    if (this.#isRefused) return;
    const erase = values.has("erase");
    const { client } = this.account;
    const isDone = await this.work((signal) =>
      this.model.confirm(
        async (auth) => client.deactivateAccount(auth, erase),
        {
          heading: this.term("deactivate"),
          description: this.term("deactivateWarning"),
          destructive: true,
        },
        signal,
      ),
    );
    if (isDone) this.model.deactivated();
  }
}
