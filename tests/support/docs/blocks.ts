import { storiesTable } from "../console_stories.ts";
import { COCKROACH_FORMS } from "../dc/cockroach_forms.ts";
import { GENERATED } from "../documents.ts";
import { tasksTable } from "../usual_tasks.ts";
import { agentsTable, permissionsTable, providersTable } from "./agent_tables.ts";
import { configTable } from "./config_tables.ts";
import { factsTable } from "./fact_tables.ts";
import { folderIndex } from "./index_page.ts";
import { lintRules } from "./lint_examples.ts";
import { metricsTable } from "./metric_tables.ts";
import { reasonsTable } from "./rpc_pages.ts";
import { schemaTable } from "./schema_tables.ts";
import { settingsTable } from "./settings_table.ts";
import { sourceParts, sourcesTable } from "./source_tables.ts";
import { toolParts } from "./tool_tables.ts";
import { keysTable, valuesTable } from "./value_tables.ts";
import { wordsTable } from "./word_tables.ts";

/** What writes the parts of documents, by name. */
const BLOCKS: Readonly<Record<string, (argument: string) => string | Promise<string>>> = {
  tool: toolParts,
  config: configTable,
  facts: factsTable,
  lint: lintRules,
  metrics: metricsTable,
  settings: settingsTable,
  statements: statementsTable,
  reasons: reasonsTable,
  stories: storiesTable,
  agents: agentsTable,
  providers: providersTable,
  permissions: permissionsTable,
  tasks: tasksTable,
  values: valuesTable,
  keys: keysTable,
  schema: schemaTable,
  index: folderIndex,
  words: wordsTable,
  source: sourceParts,
  sources: sourcesTable,
};

export const BLOCK_NAMES = Object.keys(BLOCKS);

/** The text with every block as the program has it now. @throws Error for a block that nothing writes */
export async function withBlocks(text: string): Promise<string> {
  const found = [...text.matchAll(GENERATED)];
  const made = await Promise.all(
    found.map(([, name = "", argument = ""]) => {
      const write = BLOCKS[name];
      if (write === undefined) throw new Error(`no block of the documents is called ${name}`);
      return write(argument);
    }),
  );
  return text.replace(GENERATED, (_, name: string, argument: string) => {
    const marker = `<!-- generated: ${`${name} ${argument}`.trim()} -->`;
    return `${marker}\n\n${(made.shift() ?? "").trimEnd()}\n\n<!-- end -->\n`;
  });
}

function statementsTable(): string {
  const rows = COCKROACH_FORMS.map(({ begins, words, calls = "" }) => {
    const functions = calls.split(" ").filter((call) => call !== "");
    return `| \`${begins}\` | ${words} | ${functions.map((call) => `\`${call}\``).join(", ")} |\n`;
  });
  return `| Begins with | Keywords that may follow | Functions |\n| --- | --- | --- |\n${rows.join("")}`;
}
