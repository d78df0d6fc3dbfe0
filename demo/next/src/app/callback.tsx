"use client";

import type { MatrixLoginSuccessEvent } from "matrix-auth-elements";
import { OidcCallback } from "matrix-auth-elements/react";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { routeOf, sessions } from "../session";

export function Callback() {
  const router = useRouter();

  useEffect(() => {
    const leave = () => router.replace("/login");
    sessions.addEventListener("session-ended", leave);
    return () => sessions.removeEventListener("session-ended", leave);
  }, [router]);

  function onSuccess(event: MatrixLoginSuccessEvent) {
    // The router navigates without a reload.
    event.preventDefault();
    router.replace(routeOf(event.detail.returnTo));
  }

  return <OidcCallback quiet persist="local" onMatrixLoginSuccess={onSuccess} />;
}
