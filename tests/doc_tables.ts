// `bun tests/doc_tables.ts` writes the docs/commands.md and the tables of docs/tools.md from the commands and tools.
import { writeFileSync } from "node:fs";
import { TABLED_DOCS, tabledDoc } from "./support/doc_tables.ts";

for (const name of Object.keys(TABLED_DOCS)) {
  const { path, text, current } = await tabledDoc(name);
  if (text !== current) writeFileSync(path, current);
}
