import { PRIORITY_WORDS, STATUS_WORDS, TYPE_WORDS } from "#planner/exchange/words.ts";

/** What words of other tools become in specs. */
export function wordsTable(): string {
  const fields = Object.entries({ status: STATUS_WORDS, priority: PRIORITY_WORDS, type: TYPE_WORDS });
  const rows = fields.flatMap(([field, words]) =>
    Object.entries(Object.groupBy(Object.keys(words), (word) => words[word] ?? "")).map(
      ([value, from = []]) => `| \`${field}: ${value}\` | ${from.map((word) => `\`${word}\``).join(", ")} |\n`,
    ),
  );
  return `| Spec | Words of the source, in any case |\n| --- | --- |\n${rows.join("")}`;
}
