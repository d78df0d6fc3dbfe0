import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { PAGES, pageWith } from "../../tools/bench/report.mjs";

const results = JSON.parse(await readFile("tools/bench/results.json", "utf8"));

// Times and sizes depend on the machine and the version of the last run, so they are not checked.
describe("The benchmarks", () => {
  it("The documentation has the figures of the benchmark's last run", async () => {
    for (const path of PAGES) {
      assert.equal(
        await readFile(path, "utf8"),
        await pageWith(path, results),
        "npm run bench -- --report",
      );
    }
  });

  it("The benchmark's results come from a whole run, and contain its date, machine, and peers", () => {
    const { date, machine, peers, bytes, visit, render, throughput, heap } = results;
    const roundTrips = results["round-trips"];
    assert.match(date, /^\d{4}-\d\d-\d\d$/);
    assert.match(machine, /, \d+ cores, \d+ GiB, .+, Chromium \d+\./);
    assert.equal(peers.length, 6);
    assert.ok(bytes.length > 0 && heap.length > 0);
    const turns: readonly number[][] = [
      ...[...roundTrips, ...visit].flatMap(({ ms }: { ms: Record<string, number[]> }) =>
        Object.values(ms),
      ),
      ...render.map(({ define }: { define: number[] }) => define),
      ...throughput.map(({ perSecond }: { perSecond: number[] }) => perSecond),
    ];
    // One run would have no spread.
    for (const samples of turns) assert.ok(samples.length >= 5);
  });
});
