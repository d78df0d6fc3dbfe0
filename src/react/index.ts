"use client";
// A React component for each element, and a hook for the session. Importing this entry registers the
// elements. Its types are in types/react-components.d.ts. The types of the elements come from
// custom-elements.json.
import "../ui/import-lit.js";
import { createComponent } from "@lit/react";
import { isServer, type PropertyDeclaration } from "lit";
import react from "react";
import "../define/index.js";
import { MatrixAccountElement } from "../elements/matrix-account/matrix-account.js";
import { MatrixLoginElement } from "../elements/matrix-login/matrix-login.js";
import { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";
import { OidcLoginElement } from "../elements/oidc-login/oidc-login.js";
import { UiaDialogElement } from "../elements/uia-dialog/uia-dialog.js";
import { UiaFallbackFrameElement } from "../elements/uia-fallback-frame/uia-fallback-frame.js";
import { isInPage } from "../ui/page.js";
import { eventsOf } from "./events.js";

export { useMatrixSession } from "./session.js";

interface ElementClass {
  new (): HTMLElement;
  readonly tag: string;
  readonly elementProperties: ReadonlyMap<PropertyKey, PropertyDeclaration>;
}

export const MatrixAccount = componentOf(MatrixAccountElement);
export const MatrixLogin = componentOf(MatrixLoginElement);
export const OidcCallback = componentOf(OidcCallbackElement);
export const OidcLogin = componentOf(OidcLoginElement);
export const UiaDialog = componentOf(UiaDialogElement);
export const UiaFallbackFrame = componentOf(UiaFallbackFrameElement);

function componentOf(elementClass: ElementClass) {
  if ((isServer as boolean) || !isInPage()) return serverComponentOf(elementClass);
  const { tag: tagName } = elementClass;
  const events = Object.fromEntries(
    eventsOf(tagName).map((type) => [`on${pascalCase(type)}`, type]),
  );
  const displayName = pascalCase(tagName);
  return createComponent({ react, tagName, elementClass, events, displayName });
}

/**
 * The component on a server. It renders properties as attributes, which `createComponent()` would
 * leave out, because in the browser an element may start before React hydrates it.
 */
function serverComponentOf({ tag, elementProperties }: ElementClass) {
  return react.forwardRef<HTMLElement, Record<string, unknown>>(({ className, ...props }, ref) => {
    const attributes: Record<string, unknown> = { class: className, ref };
    for (const [name, value] of Object.entries(props)) {
      const property = elementProperties.get(name);
      if (property) {
        const isText = value === true || typeof value === "string" || typeof value === "number";
        if (isText && typeof property.attribute === "string")
          attributes[property.attribute] = value;
      } else if (typeof value !== "function") {
        attributes[name] = value;
      }
    }
    return react.createElement(tag, attributes);
  });
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}
