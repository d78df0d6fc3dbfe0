import type { UiaDialogElement } from "matrix-auth-elements";
import type { Device } from "matrix-auth-elements/core";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf, type Session } from "./session";

const nameOf = ({ display_name, device_id }: Device) => String(display_name ?? device_id);

export function Devices({ session }: { session: Session }) {
  const { client, userId, deviceId, accountPage } = session;
  const dialog = useRef<UiaDialogElement>(null);
  const [devices, setDevices] = useState<readonly Device[]>([]);
  const [leaving, setLeaving] = useState<Device>();
  const [problem, setProblem] = useState("");

  useEffect(() => {
    const abort = new AbortController();
    client.getDevices({ signal: abort.signal }).then(
      (answer) => setDevices(answer.devices),
      (error) => abort.signal.aborted || setProblem(messageOf(error)),
    );
    return () => abort.abort();
  }, [client]);

  async function signOut(device: Device) {
    setLeaving(device);
    setProblem("");
    try {
      await dialog.current?.authenticate((auth) => client.deleteDevice(device.device_id, auth));
      setDevices((await client.getDevices()).devices);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <main>
      <h1>Hello, {userId}.</h1>
      {accountPage && (
        <p>
          Sign devices out on{" "}
          <a href={accountPage} target="_blank">
            your provider’s page
          </a>
          .
        </p>
      )}
      <ul>
        {devices.map((device) => (
          <li key={device.device_id}>
            {nameOf(device)} {device.device_id === deviceId && "(this one)"}
            {device.device_id !== deviceId && !accountPage && (
              <button onClick={() => void signOut(device)}>Sign out {nameOf(device)}</button>
            )}
          </li>
        ))}
      </ul>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <uia-dialog ref={dialog} client={client}>
        <p slot="description">To sign out {leaving && nameOf(leaving)}, confirm it’s you.</p>
      </uia-dialog>
    </main>
  );
}
