/** The value of `exportparts` by which an inner element's parts get a prefix. @param parts Separated by spaces. */
export const exportParts = (prefix: string, parts: string): string =>
  parts
    .split(" ")
    .map((part) => `${part}:${prefix}-${part}`)
    .join(", ");
