import {
  accountErrorTexts,
  accountTexts,
  completionTexts,
  fieldTexts,
  matrixAccountTexts,
  oauthTexts,
  registrationTexts,
  requestTexts,
} from "../../../texts/english.js";
import { partTexts } from "../../../texts/part-texts.js";

/** The texts of the element. */
export const texts = partTexts(
  fieldTexts,
  requestTexts,
  oauthTexts,
  matrixAccountTexts,
  accountTexts,
  accountErrorTexts,
  { errorFlowExpired: completionTexts.errorFlowExpired },
  { newWindow: registrationTexts.newWindow },
);

export type AccountText = Parameters<typeof texts.term>[1];
