import { css, type CSSResult } from "lit";

/** Custom properties for User-Interactive Authentication; unset ones fall back to those for signing in. */
export const uiaTokens: CSSResult = css`
  :host {
    --_accent: var(--uia-accent-color, var(--oidc-accent-color, light-dark(#1d4fb8, #9dbdff)));
    --_on-accent: var(
      --uia-on-accent-color,
      var(--oidc-on-accent-color, light-dark(#fff, #10192b))
    );
    --_error: var(--uia-error-color, var(--oidc-error-color, light-dark(#a3120a, #ffb3ab)));
    --_radius: var(--uia-border-radius, var(--oidc-border-radius, 0.5em));
    --_gap: var(--uia-gap, var(--oidc-gap, 0.5em));
  }
`;
