import { english } from "../texts/english.js";
import { addTexts } from "../texts/texts.js";

export * from "../texts/english.js";

export default addTexts({ $code: "en", ...english });
