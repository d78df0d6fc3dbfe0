/** A page on which a user completes a stage. */
export interface FallbackPage {
  readonly stage: string;
  readonly session: string | null;
  readonly url: string;
}
