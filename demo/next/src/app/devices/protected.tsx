"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, type ReactNode } from "react";
import { isSignedIn } from "../../session";

export function Protected({ children }: { children: ReactNode }) {
  const router = useRouter();
  // A server has no session, and the page is hydrated as the server has sent it.
  const [shown, setShown] = useState(false);

  useEffect(() => {
    const returnTo = location.pathname + location.search;
    const show = () => setShown(true);
    if (isSignedIn()) show();
    else router.replace(`/login?${new URLSearchParams({ returnTo })}`);
    // A login may succeed before the router has left: it then stays, and renders this as it is.
    document.addEventListener("matrix-login-success", show);
    return () => document.removeEventListener("matrix-login-success", show);
  }, [router]);

  return shown && children;
}
