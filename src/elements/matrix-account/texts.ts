import {
  accountErrorTexts,
  accountTexts,
  fieldTexts,
  matrixAccountTexts,
  registrationTexts,
} from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";

/** The texts of the element. */
export const texts = partTexts(fieldTexts, matrixAccountTexts, accountTexts, accountErrorTexts, {
  newWindow: registrationTexts.newWindow,
});

export type AccountText = Parameters<typeof texts.term>[1];
