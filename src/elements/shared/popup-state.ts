/** The end of the `state` of a login in a popup, by which the callback page knows that it is in one. */
export const POPUP_STATE = "popup";

export const isPopupState = (state: string): boolean => state.endsWith(`;${POPUP_STATE}`);
