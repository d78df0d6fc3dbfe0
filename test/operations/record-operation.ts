import { appendFileSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { COLUMNS, OPERATIONS } from "./operations.mjs";

export type Operation = keyof typeof OPERATIONS;
export type Column = keyof typeof COLUMNS;

const { RECORD } = process.env;
const folder = fileURLToPath(new URL(`../../coverage/operations/${RECORD}/`, import.meta.url));

/**
 * Returns the function that a test calls as its last step, to record for the table in
 * docs/reference/compatibility.md which operations work. A test that fails does not come that far,
 * so it records nothing. Only a whole tier records: `RECORD` names it.
 */
export const operationRecorder =
  (...columns: readonly Column[]) =>
  (...operations: readonly Operation[]): void => {
    if (!RECORD) return;
    mkdirSync(folder, { recursive: true });
    // Several processes can write to a file, since a short line is written immediately.
    for (const column of columns) {
      for (const operation of operations) appendFileSync(`${folder}${column}`, `${operation}\n`);
    }
  };
