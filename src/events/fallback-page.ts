/** A page of the homeserver's that completes a stage. */
export interface FallbackPage {
  readonly stage: string;
  readonly session: string | null;
  readonly url: string;
}
