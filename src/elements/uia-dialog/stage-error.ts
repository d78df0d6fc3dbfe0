import type { UiaSession } from "../../context/uia-session.js";
import type { IStageStatus } from "../../core/index.js";
import { AuthType } from "../../core/uia/options.js";
import { NOT_ACCEPTED } from "../../errors/coded-error.js";
import type { ErrorView } from "../../errors/error-view.js";
import { loadedTexts } from "../../texts/part-texts.js";
import type { Message } from "../../ui/format-text.js";
import type { LocalizeController } from "../../ui/localize.js";

export interface StageError {
  /** The sentence, with the homeserver's own message. */
  readonly message: Message;
  readonly code: string;
}

/**
 * This library's codes. A homeserver's codes are in capitals. The messages of these codes are for
 * developers.
 */
const OWN_CODE = /^(aborted|timeout|unexpected|[a-z]+(_[a-z]+)+)$/;

/** Also undefined while its message is loading. */
export function stageError(
  localize: LocalizeController,
  errors: ErrorView,
  session: UiaSession,
): StageError | undefined {
  const { status, unfinished } = session;
  const { errcode = "", error, retryAfterMs, emailSid } = status;
  if (!(errcode || error) || retryAfterMs !== undefined || unfinished) return undefined;
  // A link that has not been followed yet is not an error.
  const isWaiting = session.stage === AuthType.Email && emailSid !== undefined;
  if (isWaiting && errcode === "M_UNAUTHORIZED") return undefined;
  const message = errors.messageOf(status, errcode, ({ keyAtStage, withReason }) => {
    const key = keyAtStage(localize, session, isOwnCode(errcode));
    // The stage's part contains the texts about its input.
    return withReason(key, loadedTexts.term(localize, key), ownWords(status));
  });
  return message === undefined ? undefined : { code: errcode, message };
}

const isOwnCode = (errcode: string): boolean => OWN_CODE.test(errcode) && errcode !== NOT_ACCEPTED;

/** The homeserver's message. A message with a code of this library is for developers. */
export const ownWords = ({ errcode = "", error }: IStageStatus): string | undefined =>
  isOwnCode(errcode) ? undefined : error;
