// Screen-reader support that VitePress's theme lacks, and the search's ranking.

/**
 * Each class of the core's reference is one result: its members would fill the list before any guide.
 *
 * @param {string} source
 * @param {{ relativePath: string }} env
 * @param {import("markdown-it")} md
 */
export function searchable(source, env, md) {
  // Contributors find their pages in the sidebar.
  if (/^(docs\/development\/|CONTRIBUTING)/.test(env.relativePath)) return "";
  const html = md.render(source, env);
  return env.relativePath.startsWith("docs/reference/core/")
    ? html.replace(/(<\/?)h[4-6]\b/g, "$1p")
    : html;
}

/** @type {Readonly<Record<string, readonly (readonly [from: string | RegExp, to: string])[]>>} */
const CHANGES = {
  // The search window has the role of a button, and its options contain links. Their content need not be
  // announced.
  "VPLocalSearchBox.vue": [
    [
      /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
      'role="dialog" aria-modal="true"',
    ],
    [
      'aria-autocomplete="both"',
      'role="combobox" aria-autocomplete="list" :aria-expanded="results.length > 0"',
    ],
    [
      /:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]+"\s+role="option"/,
      'role="presentation"',
    ],
    [
      `:aria-label="[...p.titles, p.title].join(' > ')"`,
      `:id="'localsearch-item-' + index" role="option" :aria-selected="selectedIndex === index"`,
    ],
    ['<span class="title-icon">', '<span class="title-icon" aria-hidden="true">'],
    [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
  ],
  // A group that opens and closes is one button, without another one inside.
  "VPSidebarItem.vue": [
    [
      ':role="itemRole"',
      `:role="collapsible ? itemRole : undefined" :aria-expanded="collapsible ? !collapsed : undefined"`,
    ],
    [':tabindex="item.items && 0"', ':tabindex="collapsible ? 0 : undefined"'],
    [/role="button"\s+aria-label="toggle section"/, 'aria-hidden="true"'],
    [/(@keydown\.enter="onCaretClick")\s+tabindex="0"/, "$1"],
    [
      /if \('key' in e && e\.key !== 'Enter'\) \{\s+return\s+\}/,
      "if ('key' in e) { if (e.key !== 'Enter' && e.key !== ' ') return; e.preventDefault() }",
    ],
  ],
  // The content after this is in no landmark.
  "NotFound.vue": [['<div class="NotFound">', '<div class="NotFound" role="main">']],
  "VPLocalNavOutlineDropdown.vue": [
    ['ref="items"', 'ref="items" role="navigation" :aria-label="resolveTitle(theme)"'],
  ],
};

export const themeChanges = {
  name: "theme-changes",
  enforce: "pre",
  transform(code, id) {
    const file = id.split("/").at(-1);
    if (!id.includes("/theme-default/") || !Object.hasOwn(CHANGES, file)) return undefined;
    return CHANGES[file].reduce((text, [from, to]) => {
      const changed = text.replace(from, to);
      if (changed === text) this.error(`VitePress's ${file} has changed: it lacks ${from}`);
      return changed;
    }, code);
  },
};
