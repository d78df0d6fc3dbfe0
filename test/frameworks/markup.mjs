// Writes markup with elements in each framework's syntax, from one description.

/** @typedef {"react" | "react-components" | "preact" | "solid" | "svelte" | "vue" | "angular"} FrameworkName */

/**
 * An element with its properties and attributes. Values other than text are TypeScript expressions,
 * in which `shown` is the page's state.
 *
 * @typedef {object} Markup
 * @property {string} tag
 * @property {string} [when] The condition for rendering the element.
 * @property {Readonly<Record<string, string | true>>} [text] Attributes; true is one without a value.
 * @property {Readonly<Record<string, string>>} [bind] Attributes or properties: the framework decides.
 * @property {Readonly<Record<string, string>>} [properties] Properties without an attribute.
 * @property {Readonly<Record<string, string>>} [on] Listeners, by the event's type.
 * @property {{ readonly name: string, readonly values: object }} [spread] A constant whose members are attributes.
 * @property {Partial<Record<FrameworkName, string>>} [own] Code for only one framework.
 * @property {readonly (string | Markup)[]} [children] In text, `{…}` is an expression.
 */

/**
 * @typedef {object} Dialect
 * @property {(tag: string) => string} [component] Its attributes are written as properties.
 * @property {(name: string, value: string) => string} bind
 * @property {(name: string, value: string) => string} property
 * @property {(type: string, listener: string) => string} on
 * @property {(name: string) => string} [spread] Without it, the members are set one by one.
 * @property {(name: string, value: string) => string} [attribute] Default: `bind`.
 * @property {(condition: string, element: string) => string} [when]
 * @property {(condition: string) => string} [if] An attribute with the same effect as `when`.
 * @property {(value: string) => string} insert
 * @property {(value: string) => string} [expression]
 * @property {true} [closes] Whether elements need an end tag, because `<a />` does not close one.
 */

/** @param {string} name @param {string} value */
const braced = (name, value) => `${name}={${value}}`;
/** @param {string} value */
const quoted = (value) => value.replaceAll('"', "'");

/** @param {string} name */
const camelCase = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
/** @param {string} name */
const pascalCase = (name) => camelCase(`-${name}`);

/** @type {Dialect} */
const react = {
  bind: braced,
  property: braced,
  on: (type, listener) => `on${type}={${listener}}`,
  spread: (name) => `{...${name}}`,
  when: (condition, element) => `{${condition} && (${element})}`,
  insert: (value) => `{${value}}`,
};

/** @type {Readonly<Record<FrameworkName, Dialect>>} */
const DIALECTS = {
  react,
  "react-components": {
    ...react,
    component: pascalCase,
    on: (type, listener) => `on${pascalCase(type)}={${listener}}`,
  },
  preact: react,
  solid: {
    ...react,
    property: (name, value) => `prop:${name}={${value}}`,
    on: (type, listener) => `on:${type}={${listener}}`,
    when: (condition, element) => `<Show when={${condition}}>${element}</Show>`,
    expression: (value) => value.replaceAll(/\bshown\b/g, "props.shown"),
  },
  svelte: {
    ...react,
    // Svelte never sets a property of an element that was not defined when attributes were spread over it.
    spread: undefined,
    when: (condition, element) => `{#if ${condition}}${element}{/if}`,
    closes: true,
  },
  vue: {
    bind: (name, value) => `:${name}="${quoted(value)}"`,
    property: (name, value) => `:${name}.prop="${quoted(value)}"`,
    on: (type, listener) => `@${type}="${quoted(listener)}"`,
    spread: (name) => `v-bind="${name}"`,
    if: (condition) => `v-if="${condition}"`,
    insert: (value) => `{{ ${value} }}`,
    closes: true,
  },
  angular: {
    bind: (name, value) => `[${name.includes("-") ? "attr." : ""}${name}]="${value}"`,
    attribute: (name, value) => `[attr.${name}]="${quoted(value)}"`,
    property: (name, value) => `[${name}]="${value}"`,
    on: (type, listener) => `(${type})="${listener}($event)"`,
    when: (condition, element) => `@if (${condition}) {${element}}`,
    insert: (value) => `{{ ${value} }}`,
    expression: (value) => value.replaceAll(/\bshown\b/g, "shown()"),
    closes: true,
  },
};

/**
 * Writes an element, in one line.
 *
 * @param {FrameworkName} framework
 * @param {Markup} markup
 * @returns {string}
 */
export function write(framework, { tag, when, spread, own = {}, children = [], ...rest }) {
  const dialect = DIALECTS[framework];
  const { expression = (value) => value } = dialect;
  // Spread members keep their HTML names, so they are attributes.
  const component = tag.includes("-") && !spread ? dialect.component?.(tag) : undefined;
  /** @param {string} name */
  const nameOf = (name) => (component && !name.startsWith("aria-") ? camelCase(name) : name);
  /**
   * @param {Readonly<Record<string, string>>} [named]
   * @param {(name: string, value: string) => string} [each]
   */
  const all = (named = {}, each = dialect.bind) =>
    Object.entries(named).map(([name, value]) => each(nameOf(name), expression(value)));
  const members = Object.keys(spread?.values ?? {}).map((name) =>
    (dialect.attribute ?? dialect.bind)(name, `${spread?.name}["${name}"]`),
  );
  const attributes = [
    ...(when && dialect.if ? [dialect.if(expression(when))] : []),
    ...Object.entries(rest.text ?? {}).map(([name, value]) =>
      value === true ? nameOf(name) : `${nameOf(name)}="${value}"`,
    ),
    ...all(rest.bind),
    ...all(rest.properties, dialect.property),
    ...all(rest.on, dialect.on),
    ...(spread && dialect.spread ? [dialect.spread(spread.name)] : members),
    own[framework] ?? "",
  ];
  const inside = children.map((child) =>
    typeof child === "string"
      ? child.replaceAll(/\{(.+?)\}/g, (_, value) => dialect.insert(expression(value)))
      : write(framework, child),
  );
  const written = component ?? tag;
  const start = [written, ...attributes.filter(Boolean)].join(" ");
  const isEmpty = children.length === 0 && !dialect.closes;
  const element = isEmpty ? `<${start} />` : `<${start}>${inside.join("")}</${written}>`;
  return when && dialect.when ? dialect.when(expression(when), element) : element;
}
