import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const WORDS = "cache index search request answer limit table reader writer token branch commit schema lint queue".split(
  " ",
);

/** A project of `count` specs like the ones people write: 1 to 2 kB, comments, lists, criteria, chains of dependencies. */
export function benchProject(count: number): string {
  const root = mkdtempSync(join(tmpdir(), `planner-bench-${count}-`));
  const specs = join(root, ".planner", "specs");
  mkdirSync(specs, { recursive: true });
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const id = specId(index);
    writeFileSync(join(specs, `${id}.md`), specText(id, index, ids));
    ids.push(id);
  }
  return root;
}

function specId(index: number): string {
  const day = new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 40))).toISOString().slice(0, 10);
  const counter = ((index % 40) + 1).toString(36).padStart(3, "0");
  return `${day}-${counter}-${((index * 7919) % 46_656).toString(36).padStart(3, "0")}`;
}

function specText(id: string, index: number, earlier: readonly string[]): string {
  const status = ["pending", "completed", "completed", "in_progress", "failed"][index % 5];
  const parent = earlier[index - 3];
  const depends = index % 4 === 0 && parent !== undefined ? `depends_on:\n  - ${parent}\n` : "";
  const word = (offset: number): string => WORDS[(index * 31 + offset * 17) % WORDS.length] ?? "";
  const sentences = Array.from(
    { length: 10 },
    (_, line) =>
      `The ${word(line)} of the ${word(line + 1)} must keep its ${word(line + 2)} while the ${word(line + 3)} runs.`,
  );
  return `---
id: ${id}
status: ${status} # kept by hand
type: code
labels: [${word(1)}, ${word(2)}]
${depends}target_files:
  - src/${word(3)}.ts
  - src/${word(4)}.ts
---

# Make the ${word(1)} of the ${word(5)} faster (${index})

${sentences.slice(0, 5).join("\n")}

## Acceptance Criteria

- [${index % 2 === 0 ? "x" : " "}] The ${word(2)} answers
- [ ] The ${word(6)} is measured

## Notes

${sentences.slice(5).join("\n")}
`;
}
