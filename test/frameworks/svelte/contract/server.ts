// Renders the elements as an app's server does.
import "matrix-auth-elements/define";
import { render as renderComponent } from "svelte/server";
import { FIRST } from "../../contract";
import Contract from "./Contract.svelte";

export const render = (): string => renderComponent(Contract, { props: { shown: FIRST } }).body;
