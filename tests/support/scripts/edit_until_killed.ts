/**
 * Replaces the text of one spec for ever, each time by a text that proves whether it is whole, and prints a line once
 * it has begun. The test that starts it kills it at a random moment: `bun edit_until_killed.ts <root> <id> <size>`.
 */
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openSpecStore } from "#planner/store/specs/spec_store.ts";
import { provenText } from "../proven_text.ts";

const [root = "", id = "", size = "0"] = process.argv.slice(2);
const store = openSpecStore(root);

for (let number = 0; ; number++) {
  await store.edit(id as SpecId, () => provenText(`${process.pid}.${number}`, Number(size)));
  if (number === 0) process.stdout.write("{}\n");
}
