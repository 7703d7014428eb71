import { findSpecIds } from "#planner/operations/shared/find_spec.ts";
import type { QueueOptions } from "#planner/runs/run_queue.ts";
import {
  ACTIVE_ID,
  type Args,
  type ArgValues,
  booleanFlag,
  integerFlag,
  JSON_FLAG,
  optionalArgument,
  textFlag,
} from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { confirmClaimOptions, SHARED_CLAIM_FLAGS } from "../../consent.ts";
import { UsageError } from "../../usage_error.ts";

export const work = defineCommand({
  meta: { name: "work", description: "Run agents on specs, one git worktree per spec" },
  details:
    "Ctrl-C stops the agents and resets their specs; a second Ctrl-C does so immediately. Exits with 0 if every spec was completed, 1 if one was not, 130 after Ctrl-C, 143 after SIGTERM.",
  args: {
    ids: optionalArgument("Ids of specs, as `planner ready` lists; a driver or group means its members", {
      replacedBy: ["--chain", "--parallel"],
      completes: "spec",
      repeats: true,
    }),
    chain: booleanFlag(
      "Work on one spec after another, also those made ready, until one fails (default: all ready pending specs)",
      { alias: "c", excludes: ["--parallel"] },
    ),
    parallel: integerFlag(1, "Work on n specs at a time, also those made ready (default: all ready pending specs)", {
      alias: "p",
    }),
    provider: textFlag("name", "Agent (default: the configured one)"),
    model: textFlag("name", "Model (overrides the spec's)"),
    prompt: textFlag("name", "Prompt template (overrides the spec's)"),
    "skip-criteria": booleanFlag("Complete specs whatever their criteria and checks say"),
    resume: booleanFlag("Continue the agent's session of the last run, or fail", {
      needs: ["<ids>"],
      excludes: ["--chain", "--parallel"],
    }),
    "no-worktree": booleanFlag("Work in the project itself, one spec at a time"),
    ...SHARED_CLAIM_FLAGS,
    budget: textFlag(
      "usd",
      "Limit in US dollars for all runs together, as agents report them; beyond it no run starts",
    ),
    json: booleanFlag("Print events as JSON, one per line"),
  },
  examples: {
    "planner work 003": "Work on one spec",
    "planner work 003 --chain": "Work on it and on specs that depend on it",
    "planner work --parallel 3": "Work on all ready specs, three at a time",
    "planner work --parallel 3 --budget 5": "Stop starting runs after about 5 US dollars",
    "planner work 003 --provider codex --json": "Use another agent and print JSON",
  },
  async run({ args: words, cli }) {
    const { ids, chain, parallel } = words;
    if (words["no-worktree"] && parallel !== undefined && parallel > 1) {
      throw new UsageError(`Wrong value "${parallel}" for "--parallel": expected 1 with "--no-worktree"`, null);
    }
    const project = await cli.openProject();
    const config = await project.context.readConfig();
    if (parallel !== undefined && parallel > config.parallel.max) {
      throw new UsageError(`Wrong value "${parallel}" for "--parallel": expected at most ${config.parallel.max}`, null);
    }
    const { runWork } = await import("../../work/run_work.ts");
    return runWork(project, cli, {
      ids: await findSpecIds(project.context, ids, { archived: false }),
      ...selectRunMode(chain, parallel),
      budget: words.budget === undefined ? null : parseDollars(words.budget),
      provider: words.provider ?? null,
      model: words.model ?? null,
      prompt: words.prompt ?? null,
      skipCriteria: words["skip-criteria"],
      resume: words.resume,
      worktree: !words["no-worktree"],
      shared: await confirmClaimOptions(words, cli),
      json: words.json,
    });
  },
});

function parseDollars(text: string): number {
  const amount = /^\$?(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (amount !== undefined && Number(amount) > 0) return Number(amount);
  throw new UsageError(`Wrong value "${text}" for "--budget": expected US dollars above 0, as in 2.50`, null);
}

type RunMode = Pick<QueueOptions, "follow" | "width" | "stopAtFailure"> & { readonly mode: string };

function selectRunMode(chain: boolean, parallel: number | undefined): RunMode {
  if (parallel !== undefined) {
    return { mode: `parallel(${parallel})`, follow: true, width: parallel, stopAtFailure: false };
  }
  return { mode: chain ? "chain" : "single", follow: chain, width: 1, stopAtFailure: true };
}

const SPLIT_ARGS = {
  id: ACTIVE_ID,
  recursive: booleanFlag("Split members that are still too large", { alias: "r" }),
  "max-depth": integerFlag(1, "Maximum number of levels (default: 3)", { valueHint: "n", needs: ["--recursive"] }),
  force: booleanFlag("Split a spec of any status"),
  model: textFlag("name", "Model (default: the configured one)"),
  json: JSON_FLAG,
} as const satisfies Args;

export type SplitArgs = ArgValues<typeof SPLIT_ARGS>;

export const split = defineCommand({
  meta: { name: "split", description: "Let an agent split a large spec into member specs" },
  details:
    "Writes all members or none; the spec becomes their driver and keeps its status. With --recursive, members that lint reports as too large are split too. Exits with 1 if a spec was not split. --json prints `splits` of `spec_id` and `members`, and `refused` of `spec_id` and `reason`.",
  args: SPLIT_ARGS,
  examples: {
    "planner split 003": "Split today's third spec",
    "planner split 003 --recursive --max-depth 2": "Also split members that are too large",
  },
  async run({ args, cli }) {
    const project = await cli.openProject();
    const { runSplit } = await import("../../work/run_split.ts");
    return runSplit(project, cli, args);
  },
});

export const watch = defineCommand({
  meta: {
    name: "watch",
    description: "Merge finished work, retry failed specs and repair leftovers of killed processes, continuously",
  },
  details:
    "Runs until Ctrl-C, SIGTERM or planner_watch_stop, or until it was idle for watch.idle_timeout_minutes. Only one process watches a project; .planner/watch.pid holds its PID. Exits with 1 if another process watches or, with --once, if finished work could not be merged; with 130 after Ctrl-C, 143 after SIGTERM.",
  args: {
    once: booleanFlag("Check once, then exit"),
    "poll-interval": integerFlag(10, "Poll interval in milliseconds (overrides watch.poll_interval_ms)", {
      valueHint: "ms",
      excludes: ["--once"],
    }),
    json: booleanFlag("Print events as JSON, one per line"),
  },
  examples: {
    "planner watch": "Watch until there is nothing to do",
    "planner watch --once": "Check once, for a timer",
  },
  async run({ args: { once, "poll-interval": pollMs, json }, cli }) {
    const { runWatch } = await import("../../work/run_watch.ts");
    return runWatch(await cli.openProject(), cli, { once, pollMs: pollMs ?? null, json });
  },
});
