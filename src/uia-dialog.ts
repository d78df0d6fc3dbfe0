import { UiaDialogElement } from "./elements/uia-dialog/uia-dialog.js";

UiaDialogElement.define();

export { UiaDialogElement };
