// Renders the elements as an app's server does.
import "matrix-auth-elements/define";
import { createSSRApp } from "vue";
import { renderToString } from "vue/server-renderer";
import { FIRST } from "../../contract";
import Contract from "./Contract.vue";

export const render = (): Promise<string> =>
  renderToString(createSSRApp(Contract, { shown: FIRST }));
