"use client";

import { errorText, type UiaDialogElement } from "matrix-auth-elements";
import type { Device } from "matrix-auth-elements/core";
import { UiaDialog } from "matrix-auth-elements/react";
import { useEffect, useRef, useState } from "react";
import { openAccount, type Account } from "./account";
import { signOut } from "./session";

const nameOf = ({ display_name, device_id }: Device) => String(display_name ?? device_id);

export function Devices() {
  const dialog = useRef<UiaDialogElement>(null);
  const [account, setAccount] = useState<Account>();
  const [devices, setDevices] = useState<readonly Device[]>([]);
  const [leaving, setLeaving] = useState<Device>();
  const [problem, setProblem] = useState("");

  useEffect(() => {
    const abort = new AbortController();
    async function show({ signal }: AbortController) {
      const opened = await openAccount();
      const answer = await opened.client.getDevices({ signal });
      setAccount(opened);
      setDevices(answer.devices);
    }
    show(abort).catch(async (error) => abort.signal.aborted || setProblem(await errorText(error)));
    return () => abort.abort();
  }, []);

  async function signOutDevice({ client }: Account, device: Device) {
    setLeaving(device);
    setProblem("");
    try {
      await dialog.current?.authenticate((auth) => client.deleteDevice(device.device_id, auth));
      setDevices((await client.getDevices()).devices);
    } catch (error) {
      setProblem(await errorText(error));
    }
  }

  return (
    <main>
      {account && (
        <>
          <h1>Hello, {account.userId}.</h1>
          {account.accountPage && (
            <p>
              Sign devices out on{" "}
              <a href={account.accountPage} target="_blank">
                your provider’s page
              </a>
              .
            </p>
          )}
          <ul>
            {devices.map((device) => (
              <li key={device.device_id}>
                {nameOf(device)} {device.device_id === account.deviceId && "(this one)"}
                {device.device_id !== account.deviceId && !account.accountPage && (
                  <button onClick={() => void signOutDevice(account, device)}>
                    Sign out {nameOf(device)}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <button id="leave" onClick={() => void signOut()}>
        Sign out
      </button>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <UiaDialog ref={dialog} client={account?.client}>
        <p slot="description">To sign out {leaving && nameOf(leaving)}, confirm it’s you.</p>
      </UiaDialog>
    </main>
  );
}
