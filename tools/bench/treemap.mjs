// Draws the modules of this library's script-tag files as areas, in minified bytes.
import { resolve } from "node:path";
import { rollup } from "rollup";
import { loadConfigFile } from "rollup/loadConfigFile";

const PICTURE = "tools/bench/dist/treemap.html";

/** Bundles dist/ again as the build does, and draws matrix-auth-elements.js with its parts. */
export async function drawTreemap() {
  const { visualizer } = await import("rollup-plugin-visualizer");
  const { options } = await loadConfigFile(resolve("rollup.config.mjs"), {});
  const option = options.find(({ input }) => Object.hasOwn(Object(input), "matrix-auth-elements"));
  if (!option) throw new Error("rollup.config.mjs has no bundle with every element");
  const title = "What matrix-auth-elements is made of";
  const draw = visualizer({ filename: PICTURE, title, sourcemap: true });
  const bundle = await rollup({ ...option, plugins: [option.plugins, draw] });
  for (const output of option.output) await bundle.generate(output);
  await bundle.close();
  console.log(`wrote ${PICTURE}`);
}
