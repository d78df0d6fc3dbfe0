"use client";

import { useRouter } from "next/navigation";
import { use } from "react";
import { routeOf } from "../../session";
import { SignInForm } from "../../SignInForm";

export default function Page({ searchParams }: PageProps<"/login">) {
  const router = useRouter();
  const returnTo = use(searchParams).returnTo?.toString();

  return (
    <SignInForm
      clientName="Next demo"
      redirectUri="/devices"
      returnTo={returnTo}
      onSignedIn={() => router.replace(routeOf(returnTo))}
    />
  );
}
