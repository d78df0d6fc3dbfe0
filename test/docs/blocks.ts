import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { navigation, pagesOf } from "../../tools/docs/nav.mjs";

/** A fenced block of a page of the documentation. */
export interface Block {
  readonly page: string;
  /** Of the page, from 1: where the block begins. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Whether it is a file of an application, or a part of one, which `npm run test:frameworks` builds and drives. */
  readonly isApp: boolean;
  /** The file of this repository that it is a part of. */
  readonly partOf?: string | undefined;
}

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
    return {
      page,
      line: before.split("\n").length,
      language: match[2] ?? "",
      text: match[3] ?? "",
      isApp: partOf !== undefined || /<!-- app: \w+ \S+ -->\s*$/.test(before),
      partOf,
    };
  });
}

export const allBlocks = async (): Promise<readonly Block[]> =>
  (await Promise.all((await pages()).map(blocksOf))).flat();
