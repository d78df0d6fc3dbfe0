// The assertions of both tiers. Node does not have `expect`, and a browser does not have `node:assert`.

export function check(isSo: boolean, message: string): asserts isSo {
  if (!isSo) throw new Error(message);
}

/** Checks that plain data is equal, with members in the same order. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [textOf(actual), textOf(expected)];
  check(is === wanted, `${what}: ${is} instead of ${wanted}`);
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (member === undefined ? "(undefined)" : member));
