import type { MatrixLoginSuccessEvent } from "matrix-auth-elements";
import { OidcCallback } from "matrix-auth-elements/react";
import { useEffect, type ReactNode } from "react";
import { Navigate, Route, Routes, useHref, useLocation, useNavigate } from "react-router";
import { Devices } from "./Devices";
import { isSignedIn, routeOf, sessions } from "./session";
import { SignIn } from "./SignIn";

export function App() {
  const navigate = useNavigate();
  useEffect(() => {
    const leave = () => void navigate("/login", { replace: true });
    sessions.addEventListener("session-ended", leave);
    return () => sessions.removeEventListener("session-ended", leave);
  }, [navigate]);

  function onSuccess(event: MatrixLoginSuccessEvent) {
    // The router navigates without a reload.
    event.preventDefault();
    void navigate(routeOf(event.detail.returnTo), { replace: true });
  }

  return (
    <>
      <OidcCallback quiet persist="local" onMatrixLoginSuccess={onSuccess} />
      <Routes>
        <Route path="/login" element={<SignIn />} />
        <Route
          path="/devices"
          element={
            <Protected>
              <Devices />
            </Protected>
          }
        />
        <Route path="*" element={<Navigate to="/devices" replace />} />
      </Routes>
    </>
  );
}

function Protected({ children }: { children: ReactNode }) {
  // The path as in the address bar: with the base path or, as here, with the `#`.
  const returnTo = useHref(useLocation());
  if (isSignedIn()) return children;
  return <Navigate to={`/login?${new URLSearchParams({ returnTo }).toString()}`} replace />;
}
