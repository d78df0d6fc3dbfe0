import { english } from "../texts/english.js";
import { addTexts, type Translation } from "../texts/texts.js";

export default addTexts<Translation>({ $code: "en", ...english });
