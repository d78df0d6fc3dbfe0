import { setViewport } from "@web/test-runner-commands";

/** The size of the page in every test that sets none. */
const USUAL = { width: 800, height: 600 };

/** Gives the page another size. @returns Whether that is possible: WebDriver cannot do it in WebKit. */
export const resize = (size: Parameters<typeof setViewport>[0]): Promise<boolean> =>
  setViewport(size).then(
    () => true,
    () => false,
  );

/** Undoes what a test has done. */
export async function resizeBack(): Promise<void> {
  if (innerWidth < USUAL.width) await setViewport(USUAL);
}
