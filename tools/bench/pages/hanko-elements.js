// Hanko's elements, with a stub as their server. Its responses are unusable, so they show their
// fallback.
import { register } from "@teamhanko/hanko-elements";

window.registered = register(new URL("/hanko", location.href).href);
