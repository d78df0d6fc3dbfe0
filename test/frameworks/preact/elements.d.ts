import "preact";

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      [tag: `${"oidc" | "uia"}-${string}`]: Record<string, unknown>;
    }
  }
}
