import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build, transform } from "esbuild";
import { rollup, type RollupCache } from "rollup";
import webpack from "webpack";

/** Bundles a file as apps do. */
type Bundle = (input: string, folder: string) => Promise<void>;

/** Rollup's cache of parsed modules, for the next bundle. */
let parsed: RollupCache | undefined;

const bundlers: Record<string, Bundle> = {
  async esbuild(input, folder) {
    await build({
      entryPoints: [input],
      outfile: join(folder, "main.js"),
      bundle: true,
      minify: true,
      format: "esm",
      logLevel: "silent",
    });
  },
  async rollup(input, folder) {
    const onLog = (): void => undefined; // Some tests expect an empty bundle.
    const plugins = [nodeResolve({ browser: true })];
    const bundle = await rollup({ input, plugins, onLog, ...(parsed && { cache: parsed }) });
    parsed = bundle.cache;
    await bundle.write({ file: join(folder, "main.js"), inlineDynamicImports: true });
  },
  async webpack(input, folder) {
    const compiler = webpack({
      entry: input,
      mode: "production",
      experiments: { outputModule: true },
      output: { path: folder, filename: "main.js", module: true },
      performance: false,
      // webpack's minifier takes most of the time. The next one removes the same unused code.
      optimization: { minimize: false },
    });
    const stats = await promisify(compiler.run.bind(compiler))();
    if (stats?.hasErrors()) throw new Error(stats.toString());
    const file = join(folder, "main.js");
    const { code } = await transform(await readFile(file, "utf8"), {
      minify: true,
      treeShaking: true,
      format: "esm",
    });
    await writeFile(file, code);
  },
};

export const BUNDLERS = Object.keys(bundlers);

interface Bundled {
  readonly path: string;
  readonly text: string;
}

const done = new Map<string, Promise<Bundled>>();

/**
 * Bundles code that imports the package. The same code is bundled once.
 *
 * @param project The folder in which the package is installed.
 * @returns The bundle's main file, relative to `project`, and its text.
 */
export function bundled(bundler: string, code: string, project: string): Promise<Bundled> {
  const key = `${bundler} ${code}`;
  const bundle = done.get(key) ?? make(bundler, code, project);
  done.set(key, bundle);
  return bundle;
}

async function make(bundler: string, code: string, project: string): Promise<Bundled> {
  await mkdir(join(project, "bundles"), { recursive: true });
  const folder = await mkdtemp(join(project, "bundles", `${bundler}-`));
  const input = join(folder, "input.js");
  await writeFile(input, code);
  await bundlers[bundler]?.(input, folder);
  const file = join(folder, "main.js");
  return { path: file.slice(project.length), text: await readFile(file, "utf8") };
}
