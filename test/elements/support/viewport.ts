import { setViewport } from "@web/test-runner-commands";

/** The page's size in tests that set none. */
const USUAL = { width: 800, height: 600 };

/** Resizes the page. @returns Whether that is possible: WebDriver cannot do it in WebKit. */
export const resize = (size: Parameters<typeof setViewport>[0]): Promise<boolean> =>
  setViewport(size).then(
    () => true,
    () => false,
  );

/** Restores the usual size. */
export async function resizeBack(): Promise<void> {
  if (innerWidth < USUAL.width) await setViewport(USUAL);
}
