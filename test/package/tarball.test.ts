import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cwd } from "node:process";
import { describe, it } from "node:test";
import { promisify } from "node:util";

const exec = promisify(execFile);

const read = (path: string): Promise<string> => readFile(path, "utf8");

const packageJson = JSON.parse(await read("package.json")) as {
  readonly version: string;
  readonly dependencies: Record<string, string>;
};

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

const { stdout } = await exec("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
const [{ files }] = JSON.parse(stdout) as [Packed];
const paths = files.map(({ path }) => path);
const scripts = paths.filter((path) => /^dist\/.+\.js$/.test(path));

describe("The npm package", () => {
  it("The package depends on lit and @lit/context, and on two that are loaded on demand", () => {
    assert.deepEqual(Object.keys(packageJson.dependencies).sort(), [
      "@lit/context",
      "@noble/ed25519",
      "libphonenumber-js",
      "lit",
    ]);
  });

  it("The elements' version is that of package.json", async () => {
    const { OidcLoginElement } = await import("matrix-auth-elements");
    assert.equal(OidcLoginElement.version, packageJson.version);
  });

  it("The main entry registers no element, and /define all five", async () => {
    const { stdout: counts } = await exec(process.execPath, [
      "--input-type=module",
      "--eval",
      `let defined = 0;
       globalThis.customElements = { get: () => undefined, define: () => { defined += 1; } };
       await import("matrix-auth-elements");
       console.log(defined);
       await import("matrix-auth-elements/define");
       console.log(defined);`,
    ]);
    assert.deepEqual(counts.trim().split("\n"), ["0", "5"]);
  });
});

describe("The tarball", () => {
  it("The tarball has what a user needs, and nothing else", () => {
    for (const path of [
      "README.md",
      "LICENSE",
      "CHANGELOG.md",
      "custom-elements.json",
      "dist/cdn/integrity.html",
      "dist/cdn/integrity.json",
      "dist/vscode.html-custom-data.json",
      "dist/web-types.json",
      "dist/index.d.ts",
      "types/react.d.ts",
      "types/react-18.d.ts",
    ]) {
      assert.ok(paths.includes(path), path);
    }
    const belongs = [
      /^dist\/(?!script-tag\/).+\.(js|js\.map|d\.ts)$/,
      /^types\/(elements|preact|react|react-18|solid|svelte|vue)\.d\.ts$|^types\/none\.js$/,
      /^(README|CHANGELOG|SECURITY)\.md$|^LICENSE$|^package\.json$/,
      /^docs\/[\w-]+\.(md|svg)$|^docs\/pictures\/[\w-]+\.png$/,
      /^dist\/cdn\/(integrity\.(json|html)|LICENSES\.txt)$/,
      /^(custom-elements|dist\/(vscode\.html-custom-data|web-types))\.json$/,
    ];
    const strangers = paths.filter((path) => !belongs.some((each) => each.test(path)));
    assert.deepEqual(strangers, []);
  });

  it("The tarball has the documentation, and every page and picture that its links lead to", async () => {
    const documents = paths.filter((path) => path.endsWith(".md"));
    assert.ok(documents.includes("docs/core.md") && documents.length > 10);
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

  it("Every source map that a file of the tarball names is there, with its sources", async () => {
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

  it("No file of the tarball names the folder that it was built in", async () => {
    for (const path of paths) assert.ok(!(await read(path)).includes(cwd()), path);
  });

  it("dist/cdn/LICENSES.txt has the license of everything in its folder's files, which name it", async () => {
    const licenses = await read("dist/cdn/LICENSES.txt");
    const texts = [
      "LICENSE",
      ...["@lit/context", "@lit/reactive-element", "@noble/ed25519", "lit-element", "lit-html"].map(
        (name) => `node_modules/${name}/LICENSE`,
      ),
      "node_modules/libphonenumber-js/LICENSE",
      "node_modules/libphonenumber-js/LICENSE.Apache",
    ];
    for (const path of texts) assert.ok(licenses.includes((await read(path)).trim()), path);

    for (const path of scripts.filter((each) => each.startsWith("dist/cdn/"))) {
      if (path.includes("/locales/")) continue; // Its own texts alone.
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
        .update(await readFile(path))
        .digest("base64");
      hashes[`./${path.slice("dist/cdn/".length)}`] = `sha384-${digest}`;
    }
    assert.ok(Object.keys(hashes).length > 30);
    assert.deepEqual(integrity, hashes);
  });
});
