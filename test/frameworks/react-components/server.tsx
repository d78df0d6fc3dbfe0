// Renders the elements as an app's server does.
import "matrix-auth-elements/define";
import { renderToString } from "react-dom/server";
import { FIRST } from "../contract";
import { Contract } from "./Contract";

export const render = (): string => renderToString(<Contract shown={FIRST} />);
