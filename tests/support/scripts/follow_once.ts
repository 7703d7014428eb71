/** Reads a project's specs as a long-lived process does, twice, and has nothing more to do: `bun follow_once.ts <root>`. */
import { openSpecStore } from "#planner/store/specs/spec_store.ts";

const [root = ""] = process.argv.slice(2);
const store = openSpecStore(root, { follow: true });
await store.active();
const { specs } = await store.active();
process.stdout.write(`${JSON.stringify({ count: specs.length })}\n`);
