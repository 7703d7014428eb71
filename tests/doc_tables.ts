// `bun tests/doc_tables.ts` writes what documents have from the program: whole pages and marked blocks.
import { writeFileSync } from "node:fs";
import { GENERATED_DOCS, tabledDoc } from "./support/docs/doc_tables.ts";

for (const name of GENERATED_DOCS) {
  const { path, text, current } = await tabledDoc(name);
  if (text !== current) writeFileSync(path, current);
}
