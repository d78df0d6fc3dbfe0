window.events = [];
const frame = document.querySelector("uia-fallback-frame");
for (const [name, value] of new URLSearchParams(location.search)) frame.setAttribute(name, value);
for (const type of ["uia-fallback-open", "uia-fallback-done"]) {
  frame.addEventListener(type, ({ type }) => window.events.push({ type }));
}
