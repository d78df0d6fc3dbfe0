// What User-Interactive Authentication needs once it begins: a file of its own in the bundle for script
// tags, loaded while the page is idle, with the part of the core that leads through it.
export { enUia as texts } from "../locales/en-uia.js";
export { Course } from "./uia-dialog/course.js";
