import { OperationError } from "#kernel/errors.ts";
import type { PlannerContext } from "#planner/context.ts";
import { statusTool } from "#planner/operations/status.ts";
import { runTool } from "#planner/service.ts";
import { STORED_STATUSES } from "#planner/spec/spec.ts";
import { formatShortUsage } from "#planner/work/usage.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { booleanFlag, JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import type { Cli } from "../../declaration.ts";
import {
  formatOthersClaims,
  formatUnreadableCount,
  readOthersClaims,
  selectStatusStyle,
} from "../../output/listing_output.ts";
import { getOutputWidth, print, printJson, sanitizeLine } from "../../output/print.ts";
import { printTable, renderTable } from "../../output/table.ts";
import { printText } from "../../output/wrap_text.ts";

export const command = defineCommand({
  meta: { name: "status", description: "Count the specs by status" },
  args: {
    brief: booleanFlag("Print one line", { alias: "b", excludes: ["--json"] }),
    activity: booleanFlag("Add last changes, tokens and cost of specs in progress, and branches that will conflict", {
      alias: "a",
    }),
    json: JSON_FLAG,
  },
  examples: {
    "planner status": "Print the number of specs by status",
    "planner status --brief": "Print one line for a shell prompt or a status bar",
    "planner status --activity": "Show the specs in progress and their last changes",
  },
  async run({ args: { brief, activity, json }, cli }) {
    const context = await cli.openContext();
    const { value, text } = await runTool(context, statusTool, { brief, include_activity: activity });
    if (text !== undefined && !json) return print(`${text}\n${formatUnreadableCount(value.unreadable)}`);
    const others = await readOthersClaims(context);
    const output = await loadRequestsOutput(context);
    const requests = output === null ? [] : await output.readRecordedRequests(context).catch(warnRefusal(cli));
    if (json) {
      return printJson({ ...value, ...(others !== undefined && { others }), ...(requests.length > 0 && { requests }) });
    }
    const rows = [...STORED_STATUSES, "total" as const].map((word) => ({ word, count: value[word] }));
    const columns = [
      {
        title: "STATUS",
        text: ({ word }: StatusCount) => word,
        style: ({ word }: StatusCount) => selectStatusStyle(word),
      },
      { title: "SPECS", text: ({ count }: StatusCount) => String(count), align: "right" },
    ] as const;
    printTable(rows, columns);
    print(formatActivity(value.in_progress_activity));
    for (const { spec_id, error } of value.failed_processes ?? []) printText(`${spec_id}: ${sanitizeLine(error)}\n`);
    printText(formatOthersClaims(others));
    if (output !== null) printText(output.formatRequests(requests));
    printText(formatOutsideChanges(value.outside_changes, activity));
    if (activity) printText(await formatConflictForecast(context));
    printText(formatUnreadableCount(value.unreadable));
  },
});

/** Returns a handler that prints a refusal, for example of git, and goes on without the requests. */
const warnRefusal =
  (cli: Cli) =>
  (error: unknown): readonly [] => {
    if (!(error instanceof OperationError)) throw error;
    cli.warn(error.message);
    return [];
  };

/** Loads the output of pull requests, which imports many modules. Returns null if the project has no worktree. */
async function loadRequestsOutput(context: PlannerContext) {
  const worktrees = await context.work.worktrees().catch(() => []);
  return worktrees.length === 0 ? null : await import("../../merge_output.ts");
}

function formatOutsideChanges(found: StatusResult["outside_changes"], whole: boolean): string {
  const lines = (found ?? []).flatMap(({ spec_id, changes }) =>
    whole
      ? changes.map((change) => `${spec_id}: ${sanitizeLine(change)}`)
      : [
          `${spec_id}: ${formatCountWithNoun(changes.length, "thing")} changed outside of the branch of its last run: planner status --activity`,
        ],
  );
  return lines.map((line) => `${line}\n`).join("");
}

/** Formats the expected merge conflicts, or the reason why they cannot be computed. */
async function formatConflictForecast(context: PlannerContext): Promise<string> {
  try {
    const found = await (await context.openRuns()).worktrees.predictConflicts();
    return found
      .map(({ specs, files }) => `${sanitizeLine(`${specs.join(" and ")} will conflict in ${files.join(", ")}`)}\n`)
      .join("");
  } catch (error) {
    if (error instanceof OperationError) return `${sanitizeLine(error.message)}\n`;
    throw error;
  }
}

type StatusCount = { readonly word: string; readonly count: number };
type StatusResult = Awaited<ReturnType<typeof statusTool.run>>["value"];
type SpecActivity = NonNullable<StatusResult["in_progress_activity"]>[number];

function formatActivity(activity: readonly SpecActivity[] = []): string {
  const used = {
    title: "USED",
    text: ({ usage }: SpecActivity) => (usage === undefined ? "" : formatShortUsage(usage)),
    align: "right",
  } as const;
  const columns = [
    { title: "IN PROGRESS", text: ({ id }: SpecActivity) => id },
    { title: "SPEC CHANGED", text: (row: SpecActivity) => row.spec_modified },
    { title: "LOG CHANGED", text: (row: SpecActivity) => row.log_modified ?? "no log" },
    ...(activity.some(({ usage }) => usage !== undefined) ? [used] : []),
    { title: "TITLE", text: ({ title }: SpecActivity) => title ?? "(no title)", shrinks: true },
  ] as const;
  const table = renderTable(activity, columns, getOutputWidth());
  return table === "" ? "" : `\n${table}`;
}
