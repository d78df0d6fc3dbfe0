"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, type ReactNode } from "react";
import { isSignedIn } from "../../session";

export function Protected({ children }: { children: ReactNode }) {
  const router = useRouter();
  // A server has no session, and the first render in the browser must match the server's.
  const [shown, setShown] = useState(false);

  useEffect(() => {
    const returnTo = location.pathname + location.search;
    const show = () => setShown(true);
    if (isSignedIn()) show();
    else router.replace(`/login?${new URLSearchParams({ returnTo })}`);
    // If a sign-in succeeds first, the router stays on this page, so show it then.
    document.addEventListener("matrix-login-success", show);
    return () => document.removeEventListener("matrix-login-success", show);
  }, [router]);

  return shown && children;
}
