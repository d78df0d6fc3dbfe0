// What is in this library's files for script tags, as a picture of areas: bench/dist/treemap.html.
import { mkdir, rm } from "node:fs/promises";
import { rollup } from "rollup";
import { run } from "../scripts/run.mjs";

const FOLDER = "bench/dist";
const VISUALIZER = "rollup-plugin-visualizer";
const CONFIG = "../rollup.config.mjs";

/** Bundles as the build does, and has each bundle's modules weighed. */
export async function drawTreemap() {
  // By names in variables, because types cannot be checked: the one is installed by the bench, and not
  // before; the other has none.
  const { visualizer } = await import(VISUALIZER);
  /** @type {{ default: import("rollup").RollupOptions[] }} */
  const { default: configs } = await import(CONFIG);
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const trees = [];
  for (const [nth, { output, ...options }] of configs.entries()) {
    // The classic script holds the same once more.
    if (!output || Array.isArray(output) || output.format === "iife") continue;
    const tree = `${FOLDER}/tree-${nth}.json`;
    const plugin = visualizer({
      filename: tree,
      template: "raw-data",
      gzipSize: true,
      brotliSize: true,
    });
    const bundled = await rollup({ ...options, plugins: [options.plugins, plugin] });
    await bundled.generate(output);
    await bundled.close();
    trees.push(tree);
  }
  const cli = "bench/node_modules/rollup-plugin-visualizer/dist/bin/cli.js";
  const title = "What matrix-auth-elements is made of";
  await run(`Treemap: ${FOLDER}/treemap.html`, process.execPath, [
    cli,
    "--filename",
    `${FOLDER}/treemap.html`,
    "--title",
    title,
    ...trees,
  ]);
}
