import { expect, test } from "bun:test";
import { TABLED_DOCS, tabledDoc } from "../../support/doc_tables.ts";

for (const name of Object.keys(TABLED_DOCS)) {
  test(`docs/${name} has the tables that \`bun tests/doc_tables.ts\` writes`, async () => {
    const { text, current } = await tabledDoc(name);

    expect(text).toBe(current);
  });
}
