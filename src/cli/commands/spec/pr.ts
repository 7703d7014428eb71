import { OperationError } from "#kernel/errors.ts";
import { refuseInsideRun } from "#planner/operations/shared/change_spec.ts";
import { findSpecIds } from "#planner/operations/shared/find_spec.ts";
import type { PullRequestResult, RequestDraft } from "#planner/runs/requests/make_request.ts";
import type { SyncedRequest } from "#planner/runs/requests/sync_requests.ts";
import type { RunDeps, StopSignals } from "#planner/runs/run_types.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { type Args, type ArgValues, booleanFlag, JSON_FLAG, optionalArgument, UNPROVEN_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { confirmClaimOptions, requireOutsideRun, SHARED_CLAIM_FLAGS } from "../../consent.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { askAboutMergeCommands, isRequestUnsettled, printSyncedRequest } from "../../merge_output.ts";
import type { OpenedProject } from "../../open_project.ts";
import { print, printJson, sanitizeLine, sanitizeLines } from "../../output/print.ts";

const PR_ARGS = {
  ids: optionalArgument("Full or partial ids of specs (default with --sync: all with a request)", {
    replacedBy: ["--sync"],
    completes: "archived_spec",
    repeats: true,
  }),
  draft: booleanFlag("Make a draft; takes unfinished work too", { alias: "d" }),
  new: booleanFlag("Make a new request although the last one was closed or merged"),
  print: booleanFlag("Print the text; push nothing and ask no server", { alias: "p" }),
  sync: booleanFlag("Check the state of requests, and complete what was merged", {
    alias: "s",
    excludes: ["--draft", "--new", "--print"],
  }),
  unproven: { ...UNPROVEN_FLAG, needs: ["--sync"] },
  ...SHARED_CLAIM_FLAGS,
  json: JSON_FLAG,
} as const satisfies Args;

type PullRequestArgs = ArgValues<typeof PR_ARGS>;

export const command = defineCommand({
  meta: { name: "pr", description: "Make a pull request of finished work, and take over what was merged there" },
  details:
    "Pushes the branch of each spec, with your hooks, and makes or updates its request with gh (GitHub) or glab (GitLab), whose login it uses. Without the program it prints the text and the address to open. The text has the criteria with their checks and results, the run and the commits. --sync fast-forwards your main branch to the remote's, finds what was merged there, runs the checks of these specs on your main branch and completes them. Exits with 1 if something is left to do for a person. --json prints `results` of `spec_id`, `outcome`, `number` and `url`: created, updated, pushed or refused; with --sync open, closed, found, missing or refused, with `sign`, `result` and `reason`.",
  args: PR_ARGS,
  examples: {
    "planner pr 003": "Push the work on today's third spec and make its pull request",
    "planner pr 003 --print": "Look at its text first",
    "planner pr --sync": "Complete the specs whose requests were merged",
  },
  run: ({ args, cli }) => runPullRequests(args, cli),
});

async function runPullRequests(words: PullRequestArgs, cli: Cli): Promise<ExitStatus> {
  const project = await cli.openProject();
  refuseInsideRun(project.context, "pr");
  requireOutsideRun(project.root, "make a pull request");
  const [{ openRunDeps }, { listenForSignals }] = await Promise.all([
    import("../../work/run_deps.ts"),
    import("../../work/signals.ts"),
  ]);
  const deps = await openRunDeps(project, { announced: null, tell: () => {} });
  const signals = listenForSignals((name) => cli.note(`${name}: ending after this spec`));
  const using = { project, deps, cli, words, stop: signals };
  try {
    if (words.sync) return await printSyncedRequests(using);
    return words.print ? await printRequestTexts(using) : await createRequests(using);
  } finally {
    signals.close();
  }
}

interface PullRequestContext {
  readonly project: OpenedProject;
  readonly deps: RunDeps;
  readonly cli: Cli;
  readonly words: PullRequestArgs;
  readonly stop: StopSignals;
}

async function printRequestTexts({ project, deps, words, stop }: PullRequestContext): Promise<ExitStatus> {
  const { draftRequest } = await import("#planner/runs/requests/make_request.ts");
  const results: RequestDraft[] = [];
  for (const id of await findSpecIds(project.context, words.ids, { archived: true })) {
    results.push(await draftRequest(deps, id, { draft: words.draft, stop }));
  }
  if (words.json) printJson({ results });
  else print(results.map(formatDraft).join("\n"));
  return EXIT_STATUS.ok;
}

function formatDraft({ url, title, body }: RequestDraft): string {
  return `${sanitizeLine(title)}\n\n${sanitizeLines(body)}\n\n${sanitizeLine(url)}\n`;
}

interface RefusedRequest {
  readonly spec_id: SpecId;
  readonly outcome: "refused";
  readonly reason: string;
}

async function createRequests({ project, deps, cli, words, stop }: PullRequestContext): Promise<ExitStatus> {
  const { makeRequest } = await import("#planner/runs/requests/make_request.ts");
  const { draft, new: again, json, steal, offline } = words;
  const ids = await findSpecIds(project.context, words.ids, { archived: true });
  await askAboutMergeCommands(project, ids);
  const wishes = { draft, again, stop, shared: await confirmClaimOptions({ steal, offline }, cli) };
  const results: (PullRequestResult | RefusedRequest)[] = [];
  for (const id of ids) {
    if (stop.soon.aborted) break;
    const result = await makeRequest(deps, id, wishes).catch((error: unknown): RefusedRequest => {
      // A failed request does not stop the remaining specs.
      if (!(error instanceof OperationError)) throw error;
      return { spec_id: id, outcome: "refused", reason: error.message };
    });
    results.push(result);
    if (!json) printCreatedRequest(result, cli);
  }
  if (json) printJson({ results });
  return results.some(({ outcome }) => outcome === "refused") ? EXIT_STATUS.refused : EXIT_STATUS.ok;
}

function printCreatedRequest(result: PullRequestResult | RefusedRequest, cli: Cli): void {
  if (result.outcome === "refused") {
    cli.warn(sanitizeLine(result.reason));
    return;
  }
  const { spec_id, outcome, url, notes } = result;
  for (const note of notes) cli.note(sanitizeLine(`${spec_id}: ${note}`));
  if (outcome === "pushed") {
    cli.note(`${spec_id}: the branch is pushed; make its request at the address below, with this text`);
    print(formatDraft(result));
  } else print(`${outcome === "created" ? "Created" : "Updated"}: ${spec_id} ${sanitizeLine(url)}\n`);
}

async function printSyncedRequests({ project, deps, cli, words, stop }: PullRequestContext): Promise<ExitStatus> {
  const { syncRequests } = await import("#planner/runs/requests/sync_requests.ts");
  const { ids, unproven = null, json, steal, offline } = words;
  const named = ids.length === 0 ? null : await findSpecIds(project.context, ids, { archived: true });
  const wanted = named ?? [...(await deps.ports.requests.readNotes()).keys()].sort();
  const there = new Set(await project.context.specs.listIds());
  await askAboutMergeCommands(
    project,
    wanted.filter((id) => there.has(id)),
  );
  const wishes = { ids: wanted, stop, unproven, shared: await confirmClaimOptions({ steal, offline }, cli) };
  const tell = (result: SyncedRequest): void => printSyncedRequest(result, cli);
  const results = await syncRequests(deps, wishes, json ? undefined : tell);
  if (json) printJson({ results });
  else if (results.length === 0) print("No pull requests to look at\n");
  return results.some(isRequestUnsettled) ? EXIT_STATUS.refused : EXIT_STATUS.ok;
}
