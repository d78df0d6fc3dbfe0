// Follows a quick start like a reader: it runs the commands and writes the files in the order of the page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { startServers, type Servers } from "../../bin/servers.js";
import { TARBALL } from "../../scripts/pack.mjs";
import { freePort } from "../support/ports.mjs";
import { ACCOUNT_PAGE, blocksOf, ONE_PROVIDER, type Block } from "./blocks.js";

/** The folder that the first command of every page creates. */
const APP = "my-app";

/** The headings of steps, which have numbers. README has a single step. */
const STEP = /^(\d\.|Quick start$)/;

/** The part of the documentation that adds a router to an app. */
export interface Routes {
  readonly page: string;
  readonly heading?: string;
}

export interface QuickStart {
  /** The app's folder. */
  readonly app: string;
  /** The project of this repository with the same packages. */
  readonly project: string;
  /** The command that runs it. */
  readonly run: string;
  /** The code that replaces `<matrix-login>` in a file of the app, if the page shows it. */
  readonly provider?: string | undefined;
  /** The files with `<matrix-account>`, which the page prints whole. */
  readonly account: readonly Block[];
}

/**
 * Follows a page up to the command that runs the app. The files of its other sections are written after the
 * first command.
 *
 * @param folder An empty folder.
 * @param project A project in this repository. Its lock file has the versions of the packages to install. If the
 * project has them installed, npm installs only the difference in the app.
 */
export async function follow(page: string, folder: string, project: string): Promise<QuickStart> {
  const blocks = await blocksOf(page);
  const [first, ...steps] = blocks.filter(({ heading }) => STEP.test(heading));
  const run = steps.pop();
  const others = blocks.filter(({ heading, file }) => file !== undefined && !STEP.test(heading));
  assert.equal(run?.language, "sh", `${page} ends with the command that runs the app`);

  const app = join(folder, APP);
  for (const { language, text, file, line } of [...(first ? [first] : []), ...others, ...steps]) {
    if (language === "sh") {
      const commands = await withVersions(text, project);
      const cwd = existsSync(app) ? app : folder;
      execFileSync("sh", ["-e", "-c", commands], { cwd, env: ENVIRONMENT, stdio: "inherit" });
      continue;
    }
    assert.ok(file, `${page}:${line} names no file`);
    await mkdir(dirname(join(app, file)), { recursive: true });
    await writeFile(join(app, file), text);
  }
  const provider = blocks.find(({ heading }) => heading === ONE_PROVIDER)?.text;
  const account = others.filter(({ heading }) => heading.startsWith(ACCOUNT_PAGE));
  return { app, project, run: run.text.trim(), provider, account };
}

/**
 * Follows a page's section, whose text names the file of each block, with the module and the styles that it copies
 * from the guide to routes.
 *
 * @param heading The section's heading. Without one, the whole page is followed.
 */
export async function addRoutes(
  { page, heading }: Routes,
  { app, project }: QuickStart,
): Promise<void> {
  const shared = (await blocksOf("docs/guides/protect-routes.md")).filter(({ partOf = "" }) =>
    partOf.startsWith("demo/shared/all/"),
  );
  const own = (await blocksOf(page)).filter((block) => !heading || block.heading === heading);
  for (const { language, text, named, line } of [...shared, ...own]) {
    if (language === "sh") {
      const commands = await withVersions(text, project);
      execFileSync("sh", ["-e", "-c", commands], { cwd: app, env: ENVIRONMENT, stdio: "inherit" });
      continue;
    }
    assert.ok(named, `The text before ${page}:${line} names no file`);
    await writeFile(join(app, named), text);
  }
}

/** Adds the files that another page prints to the app, and checks their types. */
export async function addFiles(page: string, app: string): Promise<void> {
  for (const { text, file } of await blocksOf(page)) {
    if (file !== undefined) await writeFile(join(app, file), text);
  }
  execFileSync("npx", ["tsc"], { cwd: app, env: ENVIRONMENT, stdio: "inherit" });
}

const ENVIRONMENT = {
  ...process.env,
  npm_config_prefer_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
};

/** The commands, with the tarball instead of the registry's package, and with the versions that are tested. */
async function withVersions(commands: string, project: string): Promise<string> {
  const packages = async (folder: string) =>
    JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<
      "dependencies" | "devDependencies",
      Readonly<Record<string, string>>
    >;
  const { dependencies, devDependencies } = await packages(project);
  const versions = { ...(await packages(".")).dependencies, ...dependencies, ...devDependencies };
  const specifier = (name: string): string => {
    if (name.startsWith("-")) return name;
    if (name === "matrix-auth-elements") return resolve(TARBALL);
    const [, bare = name, major] = /^(.+)@([\d.]+)$/.exec(name) ?? [];
    const version = versions[bare];
    assert.ok(version?.startsWith(major ?? ""), `${project} has no ${name}`);
    return `${bare}@${version}`;
  };
  const [lock, installed] = ["package-lock.json", "node_modules"].map((name) =>
    resolve(project, name),
  );
  // An installation that has not ended might be another test's.
  const copied = existsSync(join(installed ?? "", ".installed"))
    ? `(cp -al ${installed} . || cp -a ${installed} .)`
    : ":";
  // Not for a later step, which adds a package.
  const prepared = `([ -d node_modules ] || (cp ${lock} . && ${copied})) && `;
  return commands.replaceAll(
    /npm (install|pack)( [^&\n]+)/g,
    (_, command: string, names: string) =>
      `${command === "install" ? prepared : ""}npm ${command} ` +
      names.trim().split(" ").map(specifier).join(" "),
  );
}

/**
 * Splits a command for `startServer()`. The result omits `npx`, which would run as a parent of the server. Its
 * port is 0, because another server may use the original port.
 */
export const serverCommand = (run: string): [command: string, ...args: string[]] => {
  const [command = "", ...args] = run.replace(/^npx /, "").replace(" 8000 ", " 0 ").split(" ");
  return [command, ...args];
};

/** The servers of `npx matrix-auth-elements`. */
export const startDemoServers = async (): Promise<Servers> =>
  startServers(await freePort(3), () => undefined);
