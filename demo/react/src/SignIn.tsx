import { useNavigate, useSearchParams } from "react-router";
import { routeOf } from "./session";
import { SignInForm } from "./SignInForm";

export function SignIn() {
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const returnTo = query.get("returnTo") ?? undefined;

  return (
    <SignInForm
      clientName="React demo"
      redirectUri="/"
      returnTo={returnTo}
      onSignedIn={() => void navigate(routeOf(returnTo), { replace: true })}
    />
  );
}
