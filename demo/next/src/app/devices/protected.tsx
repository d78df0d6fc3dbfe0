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
    if (isSignedIn()) setShown(true);
    else router.replace(`/login?${new URLSearchParams({ returnTo })}`);
  }, [router]);

  return shown && children;
}
