// As an app does that is rendered on a server.
import "matrix-auth-elements/define";
import { render as renderComponent } from "svelte/server";
import { FIRST } from "../../contract";
import Contract from "./Contract.svelte";

export const render = (): string => renderComponent(Contract, { props: { shown: FIRST } }).body;
