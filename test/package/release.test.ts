// The parts of a release that need no build. See tools/release/README.md.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, constants, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { cutRelease, notesOf, withAbsoluteLinks } from "../../tools/release/changelog.mjs";
import { releaseFaults, repositoryPage } from "../../tools/release/metadata.mjs";

const exec = promisify(execFile);

describe("The changelog", () => {
  const CHANGELOG = `# Changelog

All changes.

## Unreleased

### Added

- A thing, for $& and $1.

## 0.2.0 - 2026-02-03

- Another, [more](docs/a.md).
`;

  it("A release adds the version and the date to the unreleased section, below an empty one", () => {
    assert.equal(
      cutRelease(CHANGELOG, "0.3.0", "2026-11-23"),
      CHANGELOG.replace("## Unreleased\n", "## Unreleased\n\n## 0.3.0 - 2026-11-23\n"),
    );
  });

  it("A version's notes consist only of its section, wherever that is", () => {
    const released = cutRelease(CHANGELOG, "0.3.0", "2026-11-23");
    assert.equal(notesOf(released, "0.3.0"), "### Added\n\n- A thing, for $& and $1.");
    assert.equal(notesOf(released, "0.2.0"), "- Another, [more](docs/a.md).");
  });

  for (const [what, action, message] of [
    [
      "a version that has been released cannot be released again",
      () => cutRelease(CHANGELOG, "0.2.0", "2026-11-23"),
      /has a section for 0\.2\.0 already/,
    ],
    [
      "nothing unreleased cannot be released",
      () => cutRelease(cutRelease(CHANGELOG, "0.3.0", "2026-11-23"), "0.4.0", "2026-11-23"),
      /nothing below "## Unreleased"/,
    ],
    [
      "a changelog without that section cannot be released",
      () => cutRelease("# Changelog\n", "0.3.0", "2026-11-23"),
      /nothing below "## Unreleased"/,
    ],
    [
      "a version with an empty section has no notes",
      () => notesOf("## 0.3.0 - 2026-11-23\n\n## 0.2.0 - 2026-02-03\n\n- A.\n", "0.3.0"),
      /has an empty section for 0\.3\.0/,
    ],
    [
      "a version without a section has no notes",
      () => notesOf(CHANGELOG, "0.2"),
      /no section "## 0\.2 - <date>"/,
    ],
    [
      "the unreleased section has no notes",
      () => notesOf(CHANGELOG, "Unreleased"),
      /no section "## Unreleased/,
    ],
  ] as const) {
    it(`${what[0]?.toUpperCase()}${what.slice(1)}`, () => assert.throws(action, message));
  }

  it("Only links that are relative to the repository are made absolute", () => {
    const base = "https://git.example/project/blob/v1.0.0/";
    assert.equal(
      withAbsoluteLinks("[a](docs/a.md#b) [b](https://b.example/) [c](#c) [d](mailto:d@e)", base),
      `[a](${base}docs/a.md#b) [b](https://b.example/) [c](#c) [d](mailto:d@e)`,
    );
  });
});

describe("The project's links in package.json", () => {
  const PAGE = "https://git.example/project/elements";
  const FILLED = {
    version: "1.2.3",
    homepage: "https://elements.example/",
    bugs: { url: `${PAGE}/issues` },
    repository: { type: "git", url: `git+${PAGE}.git` },
  };

  for (const [what, packageJson, run, faults] of [
    ["a package with all fields, on any machine", FILLED, {}, []],
    ["a package with all fields, in the workflow", FILLED, { tag: "v1.2.3", repository: PAGE }, []],
    [
      "a package whose fields are empty",
      { version: "1.2.3", homepage: "", bugs: { url: "" }, repository: { type: "git", url: "" } },
      { tag: "v1.2.3", repository: PAGE },
      [/^homepage .*empty/, /^bugs\.url .*empty/, /^repository\.url .*empty/],
    ],
    [
      "a package without these fields",
      { version: "1.2.3" },
      {},
      [/^homepage .*empty/, /^bugs\.url .*empty/, /^repository\.url .*empty/],
    ],
    [
      "a repository by ssh",
      { ...FILLED, repository: "git@git.example:project/elements.git" },
      {},
      [/^repository\.url is not an HTTPS URL/],
    ],
    ["another version's tag", FILLED, { tag: "v1.2.4" }, [/^The tag is v1\.2\.4/]],
    ["another repository", FILLED, { repository: `${PAGE}-fork` }, [/^repository\.url .*fork/]],
  ] as const) {
    it(`${what[0]?.toUpperCase()}${what.slice(1)}: ${faults.length} faults`, () => {
      const found = releaseFaults(packageJson, run);
      assert.equal(found.length, faults.length, found.join("\n"));
      for (const [nth, fault] of faults.entries()) assert.match(found[nth] ?? "", fault);
    });
  }

  it("The repository's page is read from each form of the field, and is undefined while the field is empty", () => {
    for (const url of [PAGE, `${PAGE}.git`, `git+${PAGE}.git`]) {
      assert.equal(repositoryPage({ version: "1.2.3", repository: { url } }), PAGE);
      assert.equal(repositoryPage({ version: "1.2.3", repository: url }), PAGE);
    }
    const short = { version: "1.2.3", repository: "github:project/elements" };
    assert.equal(repositoryPage(short), "https://github.com/project/elements");
    assert.equal(repositoryPage({ version: "1.2.3", repository: { url: "" } }), undefined);
  });
});

describe("A version that npm makes from this repository", () => {
  let folder: string;
  const run = async (command: string, ...args: readonly string[]): Promise<string> => {
    const name = "Somebody";
    const email = "somebody@elements.example";
    const { stdout } = await exec(command, args, {
      cwd: folder,
      env: {
        ...env,
        GIT_CONFIG_GLOBAL: "/dev/null",
        ...{ GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name },
        ...{ GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email },
      },
    });
    return stdout;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
    const module = "src/ui/version.ts";
    for (const path of [
      "package.json",
      "package-lock.json",
      "CHANGELOG.md",
      "tools/release",
      module,
    ]) {
      await cp(path, join(folder, path), { recursive: true });
    }
    // The test's fields are empty even if this package's are set.
    const packageJson = JSON.parse(await readFile("package.json", "utf8"));
    const empty = { homepage: "", bugs: { url: "" }, repository: { type: "git", url: "" } };
    const text = JSON.stringify({ ...packageJson, ...empty }, null, 2);
    await writeFile(join(folder, "package.json"), text);
    const changelog = "# Changelog\n\n## Unreleased\n\n- [News](docs/news.md).\n";
    await writeFile(join(folder, "CHANGELOG.md"), changelog);
    await run("git", "init", "--quiet");
    await run("git", "add", ".");
    await run("git", "commit", "--quiet", "--message", "First");
    await run("npm", "version", "99.0.0");
  });
  after(() => rm(folder, { recursive: true }));

  it("The tagged commit has the version in all places, and leaves no uncommitted changes", async () => {
    assert.equal(await run("git", "tag", "--points-at", "HEAD"), "v99.0.0\n");
    assert.equal(await run("git", "status", "--porcelain"), "");
    const read = (path: string): Promise<string> => readFile(join(folder, path), "utf8");
    assert.match(await read("CHANGELOG.md"), /^## Unreleased\n\n## 99\.0\.0 - \d{4}-\d\d-\d\d\n/m);
    assert.match(await read("src/ui/version.ts"), /VERSION = "99\.0\.0";/);
    for (const path of ["package.json", "package-lock.json"]) {
      assert.equal(JSON.parse(await read(path)).version, "99.0.0", path);
    }
  });

  it("npm run release:notes prints its section", async () => {
    assert.equal(await run("npm", "run", "--silent", "release:notes"), "- [News](docs/news.md).\n");
  });

  it("npm run release:check and npm publish list each empty field, and stop", async () => {
    for (const command of ["run release:check", "publish --dry-run"]) {
      const { stderr, stdout } = await run("npm", ...command.split(" ")).then(
        () => assert.fail(command),
        (error: { readonly stderr: string; readonly stdout: string }) => error,
      );
      for (const field of ["homepage", "bugs.url", "repository.url"]) {
        assert.ok(stderr.includes(`- ${field} of package.json is empty.`), stderr);
      }
      assert.ok(!stdout.includes("✔"), stdout);
    }
  });
});

describe("The workflows", () => {
  const FOLDER = ".github/workflows";
  interface Step {
    readonly run?: string;
    readonly uses?: string;
  }
  interface Job {
    readonly permissions?: Record<string, string>;
    readonly needs?: string;
    readonly uses?: string;
    readonly steps?: readonly Step[];
  }
  interface Workflow {
    readonly on: Record<string, unknown>;
    readonly permissions: Record<string, string>;
    readonly jobs: Record<string, Job>;
  }
  /** The write permissions of jobs. Other jobs have none. */
  const WRITES: Record<string, Record<string, string> | undefined> = {
    "release.yml publish": { "id-token": "write" },
    "release.yml announce": { contents: "write" },
  };

  let workflows: readonly (readonly [file: string, workflow: Workflow])[];
  const jobs = () =>
    workflows.flatMap(([file, { jobs: all, permissions }]) =>
      Object.entries(all).map(([name, job]) => ({ id: `${file} ${name}`, job, permissions, all })),
    );
  const steps = () =>
    jobs().flatMap(({ id, job }) => (job.steps ?? [job]).map((step): [string, Step] => [id, step]));

  before(async () => {
    const files = await readdir(FOLDER);
    workflows = await Promise.all(
      files.map(async (file) => {
        const text = await readFile(join(FOLDER, file), "utf8");
        return [file, parse(text, { strict: true, uniqueKeys: true })] as const;
      }),
    );
    assert.deepEqual(files.sort(), ["ci.yml", "release.yml"]);
  });

  it("Every job has only the permissions that it needs, and a job with write access runs no code of the repository", () => {
    for (const { id, job, permissions } of jobs()) {
      const granted = job.permissions ?? permissions;
      const writes = Object.entries(granted).filter(([, access]) => access !== "read");
      assert.deepEqual(Object.fromEntries(writes), WRITES[id] ?? {}, id);
      if (writes.length === 0) continue;
      const does = (job.steps ?? []).map(({ run = "", uses = "" }) => `${run}${uses}`).join("\n");
      assert.doesNotMatch(does, /checkout|npm (ci|install|run|test)|node /, id);
    }
  });

  it("Every npm script and file that a step runs exists, and no step runs text from an event", async () => {
    const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as {
      readonly scripts: Record<string, string>;
    };
    const commands = steps().flatMap(([, { run }]) => (run === undefined ? [] : [run]));
    const named = commands.flatMap((run) => [...run.matchAll(/npm run ([\w:-]+)/g)]);
    assert.deepEqual(
      named.map(([, script]) => script),
      ["release:check"],
    );
    for (const [, script = ""] of named) assert.ok(scripts[script], script);
    const files = commands.filter((run) => run.startsWith("."));
    assert.deepEqual(files, [".ci/run"]);
    for (const file of files) await access(file, constants.X_OK);
    for (const run of commands) assert.doesNotMatch(run, /\$\{\{/);
    for (const [file, { on }] of workflows) assert.ok(!("pull_request_target" in on), file);
  });

  it("Every action is pinned to a commit, and every job that another job needs exists", async () => {
    const actions = steps().flatMap(([, { uses }]) => (uses === undefined ? [] : [uses]));
    assert.ok(actions.length > 4);
    for (const action of actions) {
      if (action.startsWith("./")) await access(action);
      else assert.match(action, /^actions\/[\w-]+@[\da-f]{40}$/);
    }
    for (const { id, job, all } of jobs()) assert.ok(!job.needs || job.needs in all, id);
  });
});
