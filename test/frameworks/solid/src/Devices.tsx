import type { UiaDialogElement } from "matrix-auth-elements";
import type { Device } from "matrix-auth-elements/core";
import { createSignal, For, onMount, Show } from "solid-js";
import { messageOf, type Session } from "./session";

const nameOf = ({ display_name, device_id }: Device) => String(display_name ?? device_id);

export function Devices(props: { session: Session }) {
  let dialog: UiaDialogElement | undefined;
  const [devices, setDevices] = createSignal<readonly Device[]>([]);
  const [leaving, setLeaving] = createSignal("");
  const [problem, setProblem] = createSignal("");

  const show = async () => setDevices((await props.session.client.getDevices()).devices);

  async function signOut(device: Device) {
    const { client } = props.session;
    setLeaving(nameOf(device));
    setProblem("");
    try {
      await dialog?.authenticate((auth) => client.deleteDevice(device.device_id, auth));
      await show();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  onMount(() => show().catch((error) => setProblem(messageOf(error))));

  return (
    <main>
      <h1>Hello, {props.session.userId}.</h1>
      <Show when={props.session.accountPage}>
        <p>
          Sign devices out on{" "}
          <a href={props.session.accountPage} target="_blank">
            your provider’s page
          </a>
          .
        </p>
      </Show>
      <ul>
        <For each={devices()}>
          {(device) => (
            <li>
              {nameOf(device)} {device.device_id === props.session.deviceId && "(this one)"}
              <Show
                when={device.device_id !== props.session.deviceId && !props.session.accountPage}
              >
                <button onClick={() => void signOut(device)}>Sign out {nameOf(device)}</button>
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show when={problem()}>
        <p class="problem" role="alert">
          {problem()}
        </p>
      </Show>
      <uia-dialog
        ref={(element: UiaDialogElement) => (dialog = element)}
        prop:client={props.session.client}
      >
        <p slot="description">To sign out {leaving()}, confirm it’s you.</p>
      </uia-dialog>
    </main>
  );
}
