// Hanko's elements; what stands for its server answers nothing that it could use, so that it shows what
// it shows then.
import { register } from "../peers/hanko-elements.js";

window.registered = register(new URL("/hanko", location.href).href);
