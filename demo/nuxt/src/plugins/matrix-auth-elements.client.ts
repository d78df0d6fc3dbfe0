// A plugin is imported before the router reads the URL, and before rendering and hydration.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/vue";

export default defineNuxtPlugin({});
