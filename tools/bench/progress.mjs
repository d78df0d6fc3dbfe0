// The bench's progress, on one line of a terminal; on a few lines if the output is not a terminal.
const WIDTH = 24;

/**
 * @param {string} title
 * @returns {(done: number, all: number) => void}
 */
export function progressOf(title) {
  const { isTTY = false } = process.stdout;
  let shown = 0;
  return (done, all) => {
    const step = isTTY ? 1 : Math.ceil(all / 4);
    if (done < all && done < shown + step) return;
    shown = done;
    const filled = Math.round((WIDTH * done) / all);
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    process.stdout.write(`${isTTY ? "\r" : ""}${bar} ${title}: ${done}/${all}`);
    if (!isTTY || done === all) process.stdout.write("\n");
  };
}
