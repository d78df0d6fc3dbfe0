import type { Metadata } from "next";
import type { ReactNode } from "react";
import "../style.css";
import { Callback } from "./callback";

export const metadata: Metadata = {
  title: "matrix-auth-elements with Next",
  icons: "/icon.svg",
  referrer: "no-referrer",
};

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Callback />
        {children}
      </body>
    </html>
  );
}
