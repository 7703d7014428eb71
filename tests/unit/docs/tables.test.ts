import { expect, test } from "bun:test";
import { BLOCK_NAMES } from "../../support/docs/blocks.ts";
import { GENERATED_DOCS, tabledDoc } from "../../support/docs/doc_tables.ts";

for (const name of GENERATED_DOCS) {
  test(`docs/${name} is as \`bun tests/doc_tables.ts\` writes`, async () => {
    const { text, current } = await tabledDoc(name);

    expect(text).toBe(current);
  });
}

test("the documents have a block of each kind that the program writes", async () => {
  const texts = await Promise.all(GENERATED_DOCS.map(async (name) => (await tabledDoc(name)).text));

  expect(
    BLOCK_NAMES.filter((name) => !texts.some((text) => new RegExp(`<!-- generated: ${name} `).test(text))),
  ).toEqual([]);
});
