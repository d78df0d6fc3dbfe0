// What User-Interactive Authentication needs once it starts: a separate file in the bundle for script
// tags, loaded while the page is idle, with the part of the core that performs it.
export { enUia as texts } from "../../../locales/en-uia.js";
export { Course } from "./dialog-controller.js";
