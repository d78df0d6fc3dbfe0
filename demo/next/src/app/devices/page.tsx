import { Devices } from "../../Devices";
import { Protected } from "./protected";

export default function Page() {
  return (
    <Protected>
      <Devices />
    </Protected>
  );
}
