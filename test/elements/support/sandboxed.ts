// A page whose dialog asks for a password. It tells its parent what the dialog submits.
import "matrix-auth-elements/define";
import { AuthType } from "matrix-auth-elements";
import { protectedRequest } from "./protected-request.js";

const dialog = document.createElement("uia-dialog");
dialog.userId = "@alice:hs.example";
document.body.append(dialog);
const { doRequest } = protectedRequest([AuthType.Password]);
void dialog.authenticate((auth, background) => {
  if (auth) parent.postMessage(auth["type"], "*");
  return doRequest(auth, background);
});
