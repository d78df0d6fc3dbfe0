import "react";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      [tag: `${"oidc" | "uia"}-${string}`]: Record<string, unknown>;
    }
  }
}
