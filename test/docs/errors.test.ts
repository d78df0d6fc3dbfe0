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

describe("docs/reference/errors.md", () => {
  it("explains every error code, and no other", async () => {
    const text = await readFile("docs/reference/errors.md", "utf8");
    const explained = [...text.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => code),
    );
    const codes = [LoginErrorCode, OidcErrorCode, RequestErrorCode, UiaErrorCode].flatMap((each) =>
      Object.values<string>(each),
    );
    assert.deepEqual(new Set(explained), new Set(codes));
  });

  it("has the English text of every error code, and every message of OidcError", async () => {
    const page = await readFile("docs/reference/errors.md", "utf8");
    const texts = new Map<string, Set<string>>();
    const errors = [
      ...Object.values(OidcErrorCode).map((code) => new OidcFlowError(OidcError.General, code)),
      ...Object.values(LoginErrorCode).map((code) => new LoginError(code, "")),
      ...Object.values(UiaErrorCode).map((code) => new UiaError(code, "")),
      ...Object.values(RequestErrorCode).map((code) => new RequestError(code, "")),
    ];
    for (const error of errors) {
      const text = await errorText(error, "en");
      // The user has cancelled.
      if (text) texts.set(text, (texts.get(text) ?? new Set()).add(error.code));
    }
    const [table = ""] = (page.split("## Find an error by its message")[1] ?? "").split(
      "While a homeserver",
    );
    const rows = table.matchAll(/^\| ([^|`]+?) +\| ((?:`\w+`(?:, )?)+) +\|$/gm);
    const listed = [...rows].map(([, text = "", codes = ""]): [string, Set<string>] => [
      text,
      new Set(codes.replaceAll("`", "").split(", ")),
    ]);
    assert.deepEqual(new Map(listed), texts);
    for (const message of Object.values(OidcError))
      assert.ok(page.includes(`| ${message} `), message);
  });
});
