// A plugin is imported before the router reads the URL, and before anything is rendered or hydrated.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/vue";

export default defineNuxtPlugin({});
