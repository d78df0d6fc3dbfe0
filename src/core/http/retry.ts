/**
 * Repeats a call until it resolves. Other loops wait for something else: a lock, a page's settings,
 * a stage that the user completes.
 *
 * @param pauseAfter Starts the pause before the next attempt; `undefined` if there is none. Its
 *   rejection ends the repetition.
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  pauseAfter: (error: unknown, attempts: number) => Promise<unknown> | undefined,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const pause = pauseAfter(error, attempts);
      if (!pause) throw error;
      await pause;
    }
  }
}
