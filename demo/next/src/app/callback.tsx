"use client";

import type { MatrixLoginSuccessEvent } from "matrix-auth-elements";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { routeOf, sessions } from "../session";

export function Callback() {
  const router = useRouter();

  useEffect(() => {
    function onSuccess(event: MatrixLoginSuccessEvent) {
      // The router goes on, without loading the page again.
      event.preventDefault();
      router.replace(routeOf(event.detail.returnTo));
    }
    const leave = () => router.replace("/login");
    // React adds none in JSX to an element that it hydrates, until it renders that again.
    document.addEventListener("matrix-login-success", onSuccess);
    sessions.addEventListener("session-ended", leave);
    return () => {
      document.removeEventListener("matrix-login-success", onSuccess);
      sessions.removeEventListener("session-ended", leave);
    };
  }, [router]);

  return <oidc-callback quiet persist="session" />;
}
