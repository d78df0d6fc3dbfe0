import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { errorText } from "matrix-auth-elements";
import {
  LoginError,
  LoginErrorCode,
  OidcError,
  OidcErrorCode,
  OidcFlowError,
  RequestError,
  RequestErrorCode,
  UiaError,
  UiaErrorCode,
} from "matrix-auth-elements/core";

const PAGE = "docs/reference/errors.md";

/** The parts of each code's entry: `Message`, `Cause`, `Fix`, and `Where`. */
async function entries(): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const [, list = ""] = (await readFile(PAGE, "utf8")).split("\n## Codes\n");
  return new Map(
    [...list.matchAll(/^### (\w+)\n\n((?:- .+\n)+)/gm)].map(([, code = "", parts = ""]) => {
      const named = [...parts.matchAll(/^- \*\*(\w+)\*\*: (.+)$/gm)];
      assert.deepEqual(
        named.map(([, name]) => name),
        ["Message", "Cause", "Fix", "Where"],
        code,
      );
      return [code, Object.fromEntries(named.map(([, name, text]) => [name, text]))];
    }),
  );
}

describe("docs/reference/errors.md", () => {
  it("explains every error code, and no other", async () => {
    const codes = [LoginErrorCode, OidcErrorCode, RequestErrorCode, UiaErrorCode].flatMap((each) =>
      Object.values<string>(each),
    );
    assert.deepEqual([...(await entries()).keys()], [...new Set(codes)].sort());
  });

  it("is the page that the console names", async () => {
    const { name, homepage } = JSON.parse(await readFile("package.json", "utf8")) as {
      readonly name: string;
      readonly homepage: string;
    };
    const source = await readFile("src/errors/lazy/explain-error.ts", "utf8");
    const page = homepage ? `${homepage}/${PAGE.replace(/md$/, "html")}` : `${name}/${PAGE}`;
    assert.ok(source.includes(`ERRORS_PAGE = "${page}";`), page);
  });

  it("has the English text of every error code, and every message of OidcError", async () => {
    const page = await readFile(PAGE, "utf8");
    const explained = await entries();
    const texts = new Map<string, Set<string>>();
    const errors = [
      ...Object.values(OidcErrorCode).map((code) => new OidcFlowError(OidcError.General, code)),
      ...Object.values(LoginErrorCode).map((code) => new LoginError(code, "")),
      ...Object.values(UiaErrorCode).map((code) => new UiaError(code, "")),
      ...Object.values(RequestErrorCode).map((code) => new RequestError(code, "")),
    ];
    for (const error of errors) {
      const text = await errorText(error, "en");
      assert.equal(
        explained.get(error.code)?.["Message"],
        text ? `“${text}”` : "None.",
        error.code,
      );
      // An error without a text means that the user has canceled.
      if (text) texts.set(text, (texts.get(text) ?? new Set()).add(error.code));
    }
    const [table = ""] = (page.split("## Find an error by its message")[1] ?? "").split(
      "While a homeserver",
    );
    const rows = table.matchAll(/^\| ([^|`]+?) +\| ((?:\[`\w+`\]\(#\w+\)(?:, )?)+) +\|$/gm);
    const listed = [...rows].map(([, text = "", links = ""]): [string, Set<string>] => [
      text,
      new Set([...links.matchAll(/#(\w+)/g)].map(([, code = ""]) => code)),
    ]);
    assert.deepEqual(new Map(listed), texts);
    for (const message of Object.values(OidcError))
      assert.ok(page.includes(`| ${message} `), message);
  });
});
