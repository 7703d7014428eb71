// Theme and search of the documents' site. Works from files: the index is a script that is loaded at the first search.
const root = document.body.dataset.root;
const input = document.querySelector("input[type=search]");
const results = document.querySelector(".results");
const SHOWN = 12;
const EXCERPT = 140;

const theme = localStorage.getItem("theme");
if (theme !== null) document.documentElement.dataset.theme = theme;
document.querySelector(".theme").addEventListener("click", () => {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  const dark =
    document.documentElement.dataset.theme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : isDark;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
});

let loading;
function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root}/search-index.js`;
    script.onload = () => resolve(window.searchIndex);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

/** Sections with every word, those with words in a title or heading first. */
function search(index, text) {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = [];
  for (const section of index) {
    const [, title, heading, body] = section;
    let score = 0;
    const isHit = words.every((word) => {
      const points = 8 * heading.toLowerCase().includes(word) + 4 * title.toLowerCase().includes(word);
      const inText = body.toLowerCase().includes(word);
      score += points + inText;
      return points > 0 || inText;
    });
    if (isHit) found.push({ section, score, word: words[0] });
  }
  return found.toSorted((a, b) => b.score - a.score);
}

function show(hits) {
  results.replaceChildren(
    ...hits.slice(0, SHOWN).map(({ section: [href, title, heading, text], word }) => {
      const link = document.createElement("a");
      link.href = `${root}/${href}`;
      const name = document.createElement("strong");
      name.textContent = heading === title ? title : `${title}: ${heading}`;
      const excerpt = document.createElement("small");
      const at = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT / 3);
      excerpt.textContent = (at > 0 ? "…" : "") + text.slice(at, at + EXCERPT);
      link.append(name, excerpt);
      return link;
    }),
  );
  if (hits.length === 0) results.textContent = "Nothing found";
  results.hidden = false;
}

input.addEventListener("input", async () => {
  const text = input.value.trim();
  if (text === "") {
    results.hidden = true;
    return;
  }
  const index = await loadIndex();
  if (input.value.trim() === text) show(search(index, text));
});
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") results.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") results.hidden = true;
  if (event.key !== "/" || event.target === input) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener("click", (event) => {
  if (!results.contains(event.target) && event.target !== input) results.hidden = true;
});
