// `npm test simulation -- --seed 1 --count 1000000`, or with the `--path` of a failure, to play it again.
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { explore, play } from "./schedules.ts";
import { FOUND } from "./found.ts";

const DEFAULT_SEED = "1";
const DEFAULT_COUNT = "10000";
/** The number of schedules after which a long run reports its progress. */
const REPORTED = 50_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: DEFAULT_SEED },
    count: { type: "string", default: DEFAULT_COUNT },
    path: { type: "string" },
    /** Only random schedules, in this process. */
    part: { type: "boolean", default: false },
  },
});

const seed = Number(values.seed);
const count = Number(values.count);

// Errors are frequent here, and their stacks take time.
Error.stackTraceLimit = 0;

if (values.part || values.path !== undefined) {
  let played = 0;
  const onPlayed = () => {
    played += 1;
    if (played % REPORTED === 0) console.log(`${played} of ${count} schedules with seed ${seed}`);
  };
  const { path } = values;
  await explore({ seed, numRuns: count, ...(path !== undefined && { path }) }, onPlayed);
} else {
  for (const [what, ...schedule] of FOUND) {
    try {
      await play(schedule);
    } catch (error) {
      console.error(`${what}: ${String(error)}`);
      process.exitCode = 1;
    }
  }
  const parts = availableParallelism();
  const shares = Array.from({ length: parts }, async (_, part) => {
    const options = { seed: seed + part, count: Math.ceil(count / parts) };
    const parameters = Object.entries(options).flatMap(([name, value]) => [
      `--${name}`,
      `${value}`,
    ]);
    const child = fork(fileURLToPath(import.meta.url), ["--part", ...parameters]);
    const [code] = await once(child, "exit");
    if (code !== 0) process.exitCode = 1;
  });
  await Promise.all(shares);
  console.log(
    `${FOUND.length} schedules that have failed once, and ${count} others with seed ${seed}`,
  );
}
