// As an app does that is rendered on a server.
import "matrix-auth-elements/define";
import { createSSRApp } from "vue";
import { renderToString } from "vue/server-renderer";
import { FIRST } from "../../contract";
import Contract from "./Contract.vue";

export const render = (): Promise<string> =>
  renderToString(createSSRApp(Contract, { shown: FIRST }));
