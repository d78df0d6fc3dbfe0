// A part names its texts, and the type checker compares them with what it shows. See `npm run typecheck`.
import { expect } from "@open-wc/testing";
// Parts are internal. Their types are what is tested here.
/* eslint-disable @typescript-eslint/no-restricted-imports */
import { phoneTexts, requestTexts } from "../../../dist/texts/english.js";
import { partTexts } from "../../../dist/texts/part-texts.js";

describe("The texts of a part", () => {
  const texts = partTexts(phoneTexts, { errorNetwork: requestTexts.errorNetwork });
  const localize = { term: (key: string): string => `text of ${key}` };

  it("are those of the sections that it names, and the basic ones", () => {
    expect(texts.term(localize, "country")).to.equal("text of country");
    expect(texts.term(localize, "errorNetwork")).to.equal("text of errorNetwork");
    expect(texts.term(localize, "signIn")).to.equal("text of signIn");
    // @ts-expect-error -- The section is not named.
    texts.term(localize, "homeserver");
  });
});
