// The contents of the packed package.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cwd } from "node:process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { TARBALL } from "../../scripts/pack.mjs";
import { writeSboms } from "../../tools/release/sbom.mjs";

const exec = promisify(execFile);

describe("The tarball", () => {
  let folder: string;
  let paths: readonly string[];
  let scripts: readonly string[];
  const bytes = (path: string): Promise<Buffer> => readFile(join(folder, path));
  const read = async (path: string): Promise<string> => (await bytes(path)).toString();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
    await exec("tar", ["-xzf", TARBALL, "--strip-components=1", "-C", folder]);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    scripts = paths.filter((path) => /^dist\/.+\.js$/.test(path));
  });
  after(() => rm(folder, { recursive: true }));

  it("The tarball contains only files that users need", () => {
    for (const path of [
      "README.md",
      "LICENSE",
      "CHANGELOG.md",
      "custom-elements.json",
      "dist/cdn/integrity.html",
      "dist/cdn/integrity.json",
      "dist/cdn/integrity.csp.json",
      "dist/vscode.html-custom-data.json",
      "dist/web-types.json",
      "dist/index.d.ts",
      "types/react.d.ts",
      "types/react-components.d.ts",
      "types/react-session.d.ts",
    ]) {
      assert.ok(paths.includes(path), path);
    }
    const belongs = [
      /^dist\/(?!script-tag\/).+\.(js|js\.map|d\.ts)$/,
      /^bin\/(matrix-auth-elements\.js|servers\.js|page\.(html|css|js))$/,
      /^types\/(elements|preact|react(-18|-components|-session)?|solid|svelte|vue)\.d\.ts$|^types\/none\.js$/,
      /^(README|CHANGELOG|SECURITY)\.md$|^LICENSE$|^package\.json$|^llms\.txt$/,
      /^docs\/(get-started|guides|reference(\/(elements|errors))?|concepts)\/[\w-]+\.md$|^docs\/pictures\/[\w-]+\.png$/,
      /^dist\/cdn\/(integrity\.(json|html|csp\.json)|LICENSES\.txt)$/,
      /^(custom-elements|dist\/(vscode\.html-custom-data|web-types))\.json$/,
    ];
    const strangers = paths.filter((path) => !belongs.some((each) => each.test(path)));
    assert.deepEqual(strangers, []);
  });

  it("The tarball contains the documentation, and every page and picture that it links to", async () => {
    const documents = paths.filter((path) => path.endsWith(".md"));
    assert.ok(documents.includes("docs/reference/elements/oidc-login.md") && documents.length > 10);
    const links: string[] = [];
    for (const document of documents) {
      const text = await read(document);
      const targets = [
        ...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g),
        ...text.matchAll(/<(?:img|source) src(?:set)?="([^"]+)"/g),
      ];
      for (const [, target = ""] of targets) {
        links.push(`${document} → ${join(dirname(document), target)}`);
      }
    }
    assert.ok(links.length > 50, String(links.length));
    assert.deepEqual(
      links.filter((link) => !paths.includes(link.split(" → ")[1] ?? "")),
      [],
    );
  });

  it("Every source map that a file of the tarball refers to exists, and contains its sources", async () => {
    const named = [...scripts, ...paths.filter((path) => path.endsWith(".d.ts"))];
    let maps = 0;
    for (const path of named) {
      const [, name] = /\/\/# sourceMappingURL=(.+)/.exec(await read(path)) ?? [];
      if (name === undefined) continue;
      const map = join(dirname(path), name);
      assert.ok(paths.includes(map), `${path} → ${map}`);
      const { sources, sourcesContent = [] } = JSON.parse(await read(map)) as {
        readonly sources: readonly string[];
        readonly sourcesContent?: readonly unknown[];
      };
      const lacking = sources.filter((_, nth) => typeof sourcesContent[nth] !== "string");
      assert.deepEqual(lacking, [], map);
      maps += 1;
    }
    assert.equal(maps, paths.filter((path) => path.endsWith(".map")).length);
  });

  it("No file of the tarball contains the folder that it was built in", async () => {
    for (const path of paths) assert.ok(!(await read(path)).includes(cwd()), path);
  });

  it("dist/cdn/LICENSES.txt has the license of everything in its folder's files, which refer to it", async () => {
    const licenses = await read("dist/cdn/LICENSES.txt");
    const texts = [
      "LICENSE",
      ...["@lit/context", "@lit/reactive-element", "@noble/ed25519", "lit-element", "lit-html"].map(
        (name) => `node_modules/${name}/LICENSE`,
      ),
      "node_modules/libphonenumber-js/LICENSE",
      "node_modules/libphonenumber-js/LICENSE.Apache",
      "node_modules/oauth4webapi/LICENSE.md",
    ];
    for (const path of texts) {
      assert.ok(licenses.includes((await readFile(path, "utf8")).trim()), path);
    }

    for (const path of scripts.filter((each) => each.startsWith("dist/cdn/"))) {
      if (path.includes("/locales/")) continue; // A language has only texts of this package.
      assert.match(await read(path), /^\/\*! [^*]*LICENSES\.txt \*\//, path);
      for (const source of JSON.parse(await read(`${path}.map`)).sources as readonly string[]) {
        const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
        if (name === undefined) continue;
        assert.ok(
          texts.some((text) => text.startsWith(`node_modules/${name}/`)),
          `${path} has ${name}`,
        );
      }
    }
  });

  it("dist/cdn/integrity.json has the hash of every script in its folder", async () => {
    const { integrity } = JSON.parse(await read("dist/cdn/integrity.json")) as {
      readonly integrity: Record<string, string>;
    };
    const hashes: Record<string, string> = {};
    for (const path of scripts.filter((each) => each.startsWith("dist/cdn/"))) {
      const digest = createHash("sha384")
        .update(await bytes(path))
        .digest("base64");
      hashes[`./${path.slice("dist/cdn/".length)}`] = `sha384-${digest}`;
    }
    assert.ok(Object.keys(hashes).length > 30);
    assert.deepEqual(integrity, hashes);
    // The HTML to copy has the same hashes.
    const [, map = ""] =
      /<script type="importmap">([^]*?)<\/script>/.exec(await read("dist/cdn/integrity.html")) ??
      [];
    const together = Object.entries(integrity).filter(([file]) => !file.startsWith("./elements/"));
    const { integrity: inPage } = JSON.parse(map) as { readonly integrity: unknown };
    assert.deepEqual(inPage, Object.fromEntries(together));
    // The policy's sources are the hashes of both import maps.
    const sourceOf = (text: string): string =>
      `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    assert.deepEqual(JSON.parse(await read("dist/cdn/integrity.csp.json")), {
      "integrity.json": sourceOf(await read("dist/cdn/integrity.json")),
      "integrity.html": sourceOf(map),
    });
  });
});

describe("The bills of materials", () => {
  it("Both bills of materials list the package and everything that is installed with it", async () => {
    const packageJson = JSON.parse(await readFile("package.json", "utf8"));
    const { packages } = JSON.parse(await readFile("package-lock.json", "utf8")) as {
      readonly packages: Record<string, Record<string, Record<string, string> | undefined>>;
    };
    const installed = new Set<string>();
    const add = (name: string): void => {
      const { version, dependencies } = packages[`node_modules/${name}`] ?? {};
      if (installed.has(`${name}@${version}`)) return;
      installed.add(`${name}@${version}`);
      Object.keys(dependencies ?? {}).forEach(add);
    };
    Object.keys(packageJson.dependencies).forEach(add);
    assert.ok(installed.size > 5);
    // Its dependencies include the code that verifies tokens.
    assert.ok([...installed].some((each) => each.startsWith("oauth4webapi@")));
    const own = `${packageJson.name}@${packageJson.version}`;

    const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
    await writeSboms(packageJson, folder);
    interface Sbom {
      readonly metadata: { readonly component: { readonly name: string; readonly purl: string } };
      readonly components: readonly { readonly purl: string }[];
      readonly packages: readonly { readonly name: string; readonly versionInfo: string }[];
    }
    const read = async (ending: string): Promise<Sbom> =>
      JSON.parse(await readFile(join(folder, `${own.replace("@", "-")}.${ending}`), "utf8"));
    const { metadata, components } = await read("cdx.json");
    const { packages: listed } = await read("spdx.json");
    await rm(folder, { recursive: true });
    const ofCycloneDx = [metadata.component, ...components].map((each) => each.purl);
    const purlOf = (each: string): string => `pkg:npm/${each.replace(/^@/, "%40")}`;
    assert.deepEqual(ofCycloneDx.sort(), [own, ...installed].map(purlOf).sort());
    const ofSpdx = listed.map((each) => `${each.name}@${each.versionInfo}`);
    assert.deepEqual(ofSpdx.sort(), [own, ...installed].sort());
    assert.equal(metadata.component.name, packageJson.name);
  });
});
