// A plugin is imported before the router reads the URL. The pages load the elements.
import "matrix-auth-elements/capture";
import "matrix-auth-elements/types/vue";

export default defineNuxtPlugin({});
