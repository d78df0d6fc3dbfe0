// As an app does that is rendered on a server.
import "matrix-auth-elements/define";
import { renderToString } from "react-dom/server";
import { FIRST } from "../contract";
import { Contract } from "./Contract";

export const render = (): string => renderToString(<Contract shown={FIRST} />);
