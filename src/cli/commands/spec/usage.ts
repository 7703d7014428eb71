import type { StoredRunReport } from "#planner/work/records/process_record.ts";
import { addUsage, countTokens, NO_USAGE, type Usage } from "#planner/work/usage.ts";
import { formatDollars } from "#words/figures.ts";
import { enumFlag, JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { print, printJson } from "../../output/print.ts";
import { renderTable } from "../../output/table.ts";
import { printText } from "../../output/wrap_text.ts";

const GROUP_KEYS = ["spec", "provider", "day"] as const;

const RIGHT = "right" as const;

interface UsageRow extends Usage {
  readonly key: string;
  readonly runs: number;
}

export const command = defineCommand({
  meta: { name: "usage", description: "Sum up the tokens and the cost that agents reported" },
  details:
    "Reads the records of runs in .planner/processes/. Tokens are reported by claude, codex, gemini and opencode; a cost, their own estimate, by claude, and by opencode for models whose price it knows. Other agents are not included.",
  args: { by: enumFlag(GROUP_KEYS, "Group by (default: spec)"), json: JSON_FLAG },
  examples: {
    "planner usage": "Sum up by spec and in total",
    "planner usage --by day": "Sum up by day, in UTC",
    "planner usage --by provider --json": "Print JSON by provider",
  },
  async run({ args: { by = "spec", json }, cli }) {
    const context = await cli.openContext();
    const rows = sumReportsByKey(await context.readRunReports(), by);
    const total = rows.reduce<UsageRow>(addRows, { ...NO_USAGE, key: "total", runs: 0 });
    if (json) {
      const { key: _, ...all } = total;
      return printJson({ by, rows, total: all });
    }
    if (rows.length === 0) return printText("No run has reported its consumption yet\n");
    const columns = [
      { title: by, text: ({ key }: UsageRow) => key },
      { title: "runs", text: ({ runs }: UsageRow) => String(runs), align: RIGHT },
      { title: "tokens", text: (row: UsageRow) => String(countTokens(row)), align: RIGHT },
      { title: "cached", text: (row: UsageRow) => String(row.cached_input_tokens), align: RIGHT },
      { title: "output", text: (row: UsageRow) => String(row.output_tokens), align: RIGHT },
      {
        title: "cost",
        text: ({ cost_usd }: UsageRow) => (cost_usd === null ? "" : formatDollars(cost_usd)),
        align: RIGHT,
      },
    ];
    print(renderTable(rows.length > 1 ? [...rows, total] : rows, columns));
  },
});

function sumReportsByKey(reports: readonly StoredRunReport[], by: (typeof GROUP_KEYS)[number]): readonly UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const { spec_id, agent, started_at, usage } of reports) {
    if (usage === null) continue;
    const key = { spec: spec_id, provider: agent, day: started_at.slice(0, 10) }[by];
    rows.set(key, addRows(rows.get(key) ?? { ...NO_USAGE, key, runs: 0 }, { ...usage, key, runs: 1 }));
  }
  return [...rows.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function addRows(one: UsageRow, other: UsageRow): UsageRow {
  return { ...addUsage(one, other), key: one.key, runs: one.runs + other.runs };
}
