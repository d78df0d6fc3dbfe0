import { Devices } from "./devices";
import { Protected } from "./protected";

export default function Page() {
  return (
    <Protected>
      <Devices />
    </Protected>
  );
}
