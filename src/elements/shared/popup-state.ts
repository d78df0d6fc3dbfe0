/** Whether it is the `state` of a login in a popup: by its end, which is `;` and `POPUP_STATE`. */
export const isPopupState = (state: string): boolean => state.endsWith(";popup");
