// What User-Interactive Authentication needs once it starts: with the part of the core that performs it.
export { enUia as texts } from "../../../locales/en-uia.js";
export { DialogController } from "./controller.js";
