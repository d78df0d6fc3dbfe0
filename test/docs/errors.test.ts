import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
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

/** The pages with the causes and the fixes. */
const PAGES = "docs/reference/errors";

/** The parts of each code's entry, and its page: `Message`, `Cause`, `Fix`, and `Where`. */
async function entries(): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (const page of await readdir(PAGES)) {
    const [, list = ""] = (await readFile(`${PAGES}/${page}`, "utf8")).split("\n## Codes\n");
    for (const [, code = "", parts = ""] of list.matchAll(/^### (\w+)\n\n((?:- .+\n)+)/gm)) {
      const named = [...parts.matchAll(/^- \*\*(\w+)\*\*: (.+)$/gm)];
      assert.deepEqual(
        named.map(([, name]) => name),
        ["Message", "Cause", "Fix", "Where"],
        code,
      );
      assert.ok(!found.has(code), code);
      found.set(code, { page, ...Object.fromEntries(named.map(([, name, text]) => [name, text])) });
    }
  }
  return found;
}

describe("docs/reference/errors.md", () => {
  it("explains every error code, and no other", async () => {
    const codes = [LoginErrorCode, OidcErrorCode, RequestErrorCode, UiaErrorCode].flatMap((each) =>
      Object.values<string>(each),
    );
    assert.deepEqual([...(await entries()).keys()].sort(), [...new Set(codes)].sort());
  });

  it("has every code, with its message and a link to its entry, at the anchor that the console names", async () => {
    const rows = (await readFile(PAGE, "utf8")).matchAll(
      /^\| <a id="(\w+)"><\/a>\[`(\w+)`\]\(errors\/([\w-]+\.md)#(\w+)\) +\| (.+?) +\|$/gm,
    );
    const listed = [...rows].map(([, id, name, page, anchor, message]) => {
      assert.deepEqual([name, anchor], [id, id]);
      return [id, page, message];
    });
    const explained = [...(await entries())].map(([code, { page, Message = "" }]) => [
      code,
      page,
      Message === "None." ? "(no message)" : Message.replace(/^“|”$/g, ""),
    ]);
    assert.deepEqual(listed, explained.sort());
  });

  it("is the page that the console names", async () => {
    const { name, homepage } = JSON.parse(await readFile("package.json", "utf8")) as {
      readonly name: string;
      readonly homepage: string;
    };
    const source = await readFile("src/errors/explanations.ts", "utf8");
    const page = homepage ? `${homepage}/${PAGE.replace(/md$/, "html")}` : `${name}/${PAGE}`;
    assert.ok(source.includes(`ERRORS_PAGE = "${page}";`), page);
  });

  it("has the English text of every error code, and every message of OidcError", async () => {
    const guide = await readFile("docs/guides/handle-errors.md", "utf8");
    const explained = await entries();
    const errors = [
      ...Object.values(OidcErrorCode).map((code) => new OidcFlowError(OidcError.General, code)),
      ...Object.values(LoginErrorCode).map(
        (code) => new LoginError(code, "", { homeserver: "other.example" }),
      ),
      ...Object.values(UiaErrorCode).map((code) => new UiaError(code, "")),
      ...Object.values(RequestErrorCode).map((code) => new RequestError(code, "")),
    ];
    for (const error of errors) {
      // Isolates around a name are invisible.
      const text = (await errorText(error, "en"))?.replace(/[\u2068\u2069]/g, "");
      assert.equal(
        explained.get(error.code)?.["Message"],
        text ? `“${text}”` : "None.",
        error.code,
      );
    }
    for (const message of Object.values(OidcError))
      assert.ok(guide.includes(`| ${message} `), message);
  });
});
