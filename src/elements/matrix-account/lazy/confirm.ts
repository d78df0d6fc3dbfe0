// What a protected request needs: loaded when a user makes the first.
import { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";

export const defineDialog = (): void => UiaDialogElement.define();
