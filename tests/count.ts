// `bun tests/count.ts` prints the rows of docs/architecture.md#size.
import { sourceSize } from "./support/source_size.ts";

for (const [name, count] of Object.entries(sourceSize())) {
  process.stdout.write(`| ${name} | ${count.toLocaleString("en")} |\n`);
}
