import { appendFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { COLUMNS, OPERATIONS } from "./operations.table.mjs";

export type Operation = keyof typeof OPERATIONS;
export type Column = keyof typeof COLUMNS;

const { RECORD } = process.env;
const folder = fileURLToPath(new URL(`../../coverage/operations/${RECORD}/`, import.meta.url));

/**
 * Returns a function that a test calls as its last step, which records for the table in
 * docs/reference/compatibility.md that an operation works. A failing test does not call it. Only a run of a
 * whole tier records: `RECORD` names the tier.
 */
export const operationRecorder =
  (...columns: readonly Column[]) =>
  (...operations: readonly Operation[]): void => {
    if (!RECORD) return;
    mkdirSync(folder, { recursive: true });
    // Short lines are written at once, so several processes can write to one file.
    for (const column of columns) {
      for (const operation of operations) appendFileSync(`${folder}${column}`, `${operation}\n`);
    }
  };
