// The few assertions that both tiers need: Node has no `expect`, a browser no `node:assert`.

export function check(isSo: boolean, message: string): asserts isSo {
  if (!isSo) throw new Error(message);
}

/** Holds plain data to be the same, members in the same order. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [textOf(actual), textOf(expected)];
  check(is === wanted, `${what}: ${is} instead of ${wanted}`);
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (member === undefined ? "(undefined)" : member));
