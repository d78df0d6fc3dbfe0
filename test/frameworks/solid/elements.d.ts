import "solid-js";

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements {
      [tag: `${"oidc" | "uia"}-${string}`]: Record<string, unknown>;
    }
  }
}
