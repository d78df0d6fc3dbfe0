import {
  completionTexts,
  declinedTexts,
  fieldTexts,
  firstScreenTexts,
  loginTexts,
  matrixLoginTexts,
} from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import type { AuthElement } from "../../ui/element.js";

const texts = partTexts(
  fieldTexts,
  loginTexts,
  completionTexts,
  declinedTexts,
  { homeserver: firstScreenTexts.homeserver },
  matrixLoginTexts,
);

export type TextKey = Parameters<typeof texts.term>[1];

export const term = ({ localize }: AuthElement, key: TextKey): string => texts.term(localize, key);
