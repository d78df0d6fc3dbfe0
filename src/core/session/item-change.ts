/**
 * A function that decides about an item of a `SessionStore`. It is synchronous, has no side
 * effects, and may be called more than once.
 *
 * @param value The item; `undefined` if there is none.
 * @returns The new item; `null` to remove it; `undefined` to leave it unchanged.
 */
export type ItemChange = (value: string | undefined) => string | null | undefined;

/** @returns The result of the store's method, possibly a promise. */
export function applyChange(
  store: {
    setItem(key: string, value: string): unknown;
    removeItem(key: string): unknown;
  },
  key: string,
  value: string | null | undefined,
  change: ItemChange,
): unknown {
  const next = change(value ?? undefined);
  if (next === undefined) return undefined;
  return next === null ? store.removeItem(key) : store.setItem(key, next);
}
