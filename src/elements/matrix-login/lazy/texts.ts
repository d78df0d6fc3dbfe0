import {
  completionTexts,
  fieldTexts,
  loginTexts,
  matrixLoginTexts,
  oauthTexts,
  requestTexts,
} from "../../../texts/english.js";
import { partTexts } from "../../../texts/part-texts.js";
import type { AuthHost } from "../../../ui/element.js";

export const texts = partTexts(
  fieldTexts,
  requestTexts,
  oauthTexts,
  loginTexts,
  completionTexts,
  matrixLoginTexts,
);

export type TextKey = Parameters<typeof texts.term>[1];

export const term = ({ localize }: AuthHost, key: TextKey): string => texts.term(localize, key);
