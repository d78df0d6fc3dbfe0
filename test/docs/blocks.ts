import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { navigation, pagesOf } from "../../tools/docs/nav.mjs";

/** A fenced block of a page of the documentation. */
export interface Block {
  readonly page: string;
  /** The page's line where the block starts, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The last second-level heading before the block. */
  readonly heading: string;
  /** The block's file name, from the comment in its first line. */
  readonly file?: string | undefined;
  /** The first file in `src/` that the paragraph before the block names. */
  readonly named?: string | undefined;
  /** Whether the block belongs to a quick start or to an app in demo/. The tests run both. */
  readonly isApp: boolean;
  /** The file of this repository that contains the block. */
  readonly partOf?: string | undefined;
}

/** The heading in the quick starts for the code that replaces `<matrix-login>`. */
export const ONE_PROVIDER = "Use one provider";

/** How the heading of the quick starts for the files with `<matrix-account>` begins. */
export const ACCOUNT_PAGE = "Account page";

const FILE = /^(?:\/\/|<!--) ([\w./+-]+\.\w+)( -->)?\n/;

/** The pages of the repository. */
export async function pages(): Promise<readonly string[]> {
  const tools = (await readdir("tools", { recursive: true })).filter((name) =>
    /^[^/]+.README\.md$/.test(name),
  );
  return [
    ...pagesOf(navigation).flatMap(({ path, onlyOnSite }) => (onlyOnSite ? [] : [path])),
    ...tools.map((name) => join("tools", name)),
    ".github/PULL_REQUEST_TEMPLATE.md",
  ];
}

export async function blocksOf(page: string): Promise<readonly Block[]> {
  const text = await readFile(page, "utf8");
  return [...text.matchAll(/^(`{3,})(\w*)\n([^]*?)^\1$/gm)].map((match) => {
    const before = text.slice(0, match.index);
    const [, partOf] = /<!-- part: (\S+) -->\s*$/.exec(before) ?? [];
    const [, heading = ""] =
      before
        .match(/^## .+$/gm)
        ?.at(-1)
        ?.split("## ") ?? [];
    const file = FILE.exec(match[3] ?? "")?.[1];
    const paragraph =
      before
        .replace(/<!-- part: \S+ -->\s*$/, "")
        .trimEnd()
        .split("\n\n")
        .at(-1) ?? "";
    const named = /`(src\/[\w.]+)`/.exec(paragraph)?.[1];
    const isInQuickStart =
      page.startsWith("docs/get-started/") && (file !== undefined || heading === ONE_PROVIDER);
    return {
      page,
      line: before.split("\n").length,
      language: match[2] ?? "",
      text: match[3] ?? "",
      heading,
      file,
      named,
      isApp: partOf !== undefined || isInQuickStart,
      partOf,
    };
  });
}

export const allBlocks = async (): Promise<readonly Block[]> =>
  (await Promise.all((await pages()).map(blocksOf))).flat();
