// custom-elements.json, and the files for editors and other tools that are generated from it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { LitElement } from "lit";
import * as library from "matrix-auth-elements";
import { elements, isSettable, modules, names, type Named } from "./manifest.mjs";

const exec = promisify(execFile);

/** Resolves the file through the package's exports, as tools do. */
const require = createRequire(import.meta.url);
const read = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(require.resolve(`matrix-auth-elements/${name}`), "utf8")) as T;

/** The property list that Lit keeps in a class. */
interface ElementClass {
  readonly prototype: object;
  readonly observedAttributes: readonly string[];
  readonly elementProperties: ReadonlyMap<string, { readonly attribute?: boolean | string }>;
}
const exported = library as unknown as Record<string, ElementClass>;

describe("The files for editors and tools", () => {
  it("The committed custom-elements.json equals the build's", async () => {
    const { stdout } = await exec("git", ["status", "--porcelain", "custom-elements.json"]);
    assert.equal(stdout, "", "run `npm run build` and commit it");
  });

  it("package.json refers to the manifest and the web types", async () => {
    const { customElements, "web-types": webTypes } =
      await read<Record<string, string>>("package.json");
    assert.deepEqual([customElements, webTypes], ["custom-elements.json", "dist/web-types.json"]);
  });
});

describe("custom-elements.json", () => {
  it("The manifest has the six elements, and a description for each entry", () => {
    assert.deepEqual(elements.map(({ tagName }) => tagName).sort(), [
      "matrix-account",
      "matrix-login",
      "oidc-callback",
      "oidc-login",
      "uia-dialog",
      "uia-fallback-frame",
    ]);
    for (const { tagName = "", description, summary, ...lists } of elements) {
      assert.ok(description && summary, tagName);
      const { attributes, members, events, slots, cssParts, cssProperties, cssStates } = lists;
      for (const list of [attributes, members, events, slots, cssParts, cssProperties, cssStates]) {
        assert.ok(list.length > 0, tagName);
        for (const each of list) {
          assert.equal(typeof each.name, "string", tagName);
          assert.ok(each.description, `${tagName} ${each.name}`);
        }
      }
    }
  });

  it("The manifest has a type for each attribute, member and event", () => {
    for (const { tagName, attributes, members, events } of elements) {
      for (const each of [...attributes, ...events]) assert.ok(each.type.text, each.name);
      for (const each of members) {
        const { text } = (each.kind === "method" ? each.return?.type : each.type) ?? {};
        assert.ok(text, `${tagName ?? ""} ${each.name}`);
      }
    }
  });

  it("The manifest has the attributes and the settable properties of the classes", () => {
    for (const { name, attributes, members } of elements) {
      const element = exported[name];
      assert.deepEqual(names(attributes), [...(element?.observedAttributes ?? [])].sort(), name);
      assert.deepEqual(
        names(members.filter(isSettable)),
        [...(element?.elementProperties.keys() ?? [])].sort(),
        name,
      );
      for (const { name: attribute, fieldName } of attributes) {
        const { attribute: given } = element?.elementProperties.get(fieldName) ?? {};
        assert.equal(attribute, typeof given === "string" ? given : fieldName, name);
      }
    }
  });

  it("The manifest has the methods and getters of the classes, but no private members and no members of Lit", () => {
    // Elements set these on each other.
    const internal = ["settings"];
    for (const { name, members } of elements) {
      const element = exported[name];
      const own = Object.getOwnPropertyNames(element?.prototype ?? {}).filter(
        (each) => !(each in LitElement.prototype) && !internal.includes(each),
      );
      // All elements have the one of their common base in place of the browser's.
      own.push("focus");
      const properties = [...(element?.elementProperties.keys() ?? [])];
      const documented = names(members.filter((each) => !each.static)).filter(
        (each) => !properties.includes(each),
      );
      assert.deepEqual(documented, own.filter((each) => !properties.includes(each)).sort(), name);
    }
  });

  it("The manifest has every event with its class", () => {
    const ofElements = /^(Oidc|Uia|MatrixLogin|MatrixAccount)\w+Event$/;
    const classes = Object.entries(library)
      .filter(([name]) => ofElements.test(name))
      .map(([name, value]) => {
        const event: unknown = Reflect.construct(value as new () => unknown, [{}]);
        assert.ok(event instanceof Event, name);
        return `${event.type} ${name}`;
      });
    assert.ok(classes.length > 0);
    const fired = elements.flatMap(({ events }) =>
      events.map(({ name, type }) => `${name} ${type.text}`),
    );
    // Every event is documented with its class, and every class has an event.
    assert.deepEqual([...new Set(fired)].sort(), [...classes, "statechange Event"].sort());
  });

  it("The manifest has every custom property of the sources, and no other", async () => {
    const usedIn = async (folder: string): Promise<readonly string[]> => {
      const found = new Set<string>();
      for (const file of await readdir(folder, { recursive: true })) {
        if (!file.endsWith(".ts")) continue;
        const text = await readFile(join(folder, file), "utf8");
        for (const [, name = ""] of text.matchAll(/var\(\s*(--(?:auth|matrix|oidc|uia)-[\w-]+)/g))
          found.add(name);
      }
      return [...found];
    };
    const documented = new Set<string>();
    for (const { tagName = "", cssProperties } of elements) {
      const own = names(cssProperties);
      for (const name of own) documented.add(name);
      const used = await usedIn(join("src/elements", tagName));
      assert.deepEqual(
        used.filter((name) => name.startsWith("--auth-") && !own.includes(name)),
        [],
        tagName,
      );
    }
    assert.deepEqual([...documented].sort(), [...(await usedIn("src"))].sort());
  });

  it("The manifest contains files of the package, and the file that registers each element", async () => {
    const paths = modules.flatMap(({ path, exports }) => [
      path,
      ...exports.map(({ declaration }) => declaration.module),
    ]);
    for (const path of paths) {
      assert.match(path, /^dist\//);
      assert.ok(existsSync(path), path);
    }
    const definers = (tag: string | undefined): readonly string[] =>
      modules.flatMap(({ path, exports }) =>
        exports.some(({ kind, name }) => kind === "custom-element-definition" && name === tag)
          ? [path]
          : [],
      );
    assert.deepEqual(definers("oidc-login"), ["dist/define/index.js", "dist/define/oidc-login.js"]);
    assert.deepEqual(definers("uia-fallback-frame"), [
      "dist/define/index.js",
      "dist/define/uia-dialog.js",
      "dist/define/uia-fallback-frame.js",
    ]);
    for (const { tagName } of elements) {
      for (const path of definers(tagName)) {
        assert.match(await readFile(path, "utf8"), /define\(/);
      }
    }
  });

  it("The manifest's exports can be imported", async () => {
    for (const { path, exports } of modules) {
      const module = (await import(join(process.cwd(), path))) as object;
      for (const { kind, name } of exports) {
        if (kind === "js") assert.ok(name in module, `${path} ${name}`);
      }
    }
  });
});

describe("vscode.html-custom-data.json", () => {
  it("vscode.html-custom-data.json has each element's attributes and values, events, slots, parts and properties", async () => {
    const { tags } = await read<{
      readonly tags: readonly (Named & {
        readonly attributes: readonly (Named & { readonly values?: readonly Named[] })[];
      })[];
    }>("vscode.html-custom-data.json");
    assert.deepEqual(names(tags), elements.map(({ tagName }) => tagName).sort());
    for (const { name: tag, description = "", attributes } of tags) {
      const element = elements.find(({ tagName }) => tagName === tag);
      assert.ok(element);
      assert.deepEqual(names(attributes), names(element.attributes));
      for (const { name, values = [] } of attributes) {
        const text: string = element.attributes.find((each) => each.name === name)?.type.text ?? "";
        const literals = [...text.matchAll(/"([^"]+)"/g)].map(([, value = ""]) => value);
        assert.deepEqual(names(values), literals.sort(), name);
      }
      const { events, slots, cssParts, cssProperties } = element;
      for (const { name } of [...events, ...slots, ...cssParts, ...cssProperties]) {
        assert.ok(description.includes(name === "" ? "_default_" : `**${name}**`), name);
      }
      assert.doesNotMatch(description, /\*\*undefined|undefined\*\*/);
    }
  });
});

describe("web-types.json", () => {
  it("web-types.json has each element's attributes, properties, events, slots, parts and custom properties", async () => {
    interface WebElement extends Named {
      readonly attributes: readonly Named[];
      readonly events: readonly Named[];
      readonly slots: readonly Named[];
      readonly js: Record<"properties" | "events", readonly Named[]>;
    }
    const { version, contributions } = await read<{
      readonly version: string;
      readonly contributions: {
        readonly html: { readonly elements: readonly WebElement[] };
        readonly css: Record<"properties" | "pseudo-elements", readonly Named[]>;
      };
    }>("web-types.json");
    assert.equal(version, (await read<{ readonly version: string }>("package.json")).version);
    const described = contributions.html.elements;
    assert.deepEqual(names(described), elements.map(({ tagName }) => tagName).sort());
    for (const { name: tag, attributes, events, slots, js } of described) {
      const element = elements.find(({ tagName }) => tagName === tag);
      assert.ok(element);
      const fields = element.members.filter((each) => each.kind === "field" && !each.static);
      assert.deepEqual(names(attributes), names(element.attributes), tag);
      assert.deepEqual(names(events), names(element.events), tag);
      assert.deepEqual(names(slots), names(element.slots), tag);
      assert.deepEqual(names(js.properties), names(fields), tag);
      assert.deepEqual(names(js.events), names(element.events), tag);
    }
    const all = (list: "cssProperties" | "cssParts"): readonly string[] =>
      elements.flatMap((element) => names(element[list])).sort();
    assert.deepEqual(names(contributions.css.properties), all("cssProperties"));
    const parts = all("cssParts").map((name) => `part(${name})`);
    assert.deepEqual(names(contributions.css["pseudo-elements"]), parts.sort());
  });
});

describe("The components for React", () => {
  it("There is a component for each element, and a hook, in a client module", async () => {
    const pascalCase = (tag: string): string =>
      tag.replace(/(^|-)(.)/g, (_, __, letter: string) => letter.toUpperCase());
    const { useMatrixSession, ...components } = await import("matrix-auth-elements/react");
    assert.equal(typeof useMatrixSession, "function");
    assert.deepEqual(
      Object.keys(components).sort(),
      elements.map(({ tagName }) => pascalCase(tagName)).sort(),
    );
    for (const file of ["index", "session"]) {
      assert.match(await readFile(`dist/react/${file}.js`, "utf8"), /^"use client";/);
    }
  });

  it("Each component has a listener for every event of its element", async () => {
    const { eventsOf } = (await import(pathToFileURL("dist/react/events.js").href)) as {
      readonly eventsOf: (tag: string) => readonly string[];
    };
    for (const { tagName, events } of elements) {
      const names = events.map(({ name }) => name);
      assert.deepEqual(eventsOf(tagName), names, tagName);
    }
  });
});
