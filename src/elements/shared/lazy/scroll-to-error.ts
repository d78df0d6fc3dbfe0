/** Moves an element's error into sight, as far as it is not: on a small screen it may be below the keyboard. */
export const scrollToError = ({ shadowRoot }: Element): void =>
  shadowRoot?.querySelector("#error")?.scrollIntoView({ block: "nearest" });
