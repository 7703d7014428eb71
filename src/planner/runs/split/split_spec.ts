import { getErrorMessage, OperationError } from "#kernel/errors.ts";
import type { ProcessResult } from "#planner/run_ports/process_records.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { SpecFacts } from "../../lint/finding.ts";
import { refuseMissingAgent } from "../../operations/shared/start_checks.ts";
import { refuseUnsplittableSpec } from "../../operations/split.ts";
import type { NewMembers } from "../../ports.ts";
import { findMissingFence } from "../../spec/body_lines.ts";
import { CRITERIA_SECTION } from "../../spec/criteria.ts";
import { buildSpecFile } from "../../spec/new_spec.ts";
import { findLastSection } from "../../spec/sections.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { selectProvider } from "../../work/providers.ts";
import { claimSpec } from "../claims.ts";
import type { RunDeps, StopSignals } from "../run_types.ts";
import { requestMembers } from "./ask_agent.ts";
import { type ProposedMember, parseMembers } from "./parse_members.ts";

export interface SplitOptions {
  readonly force: boolean;
  readonly recursive: boolean;
  /** Maximum number of levels, including the first split. */
  readonly maxDepth: number;
  /** Model to use instead of the configured one; null for the configured one. */
  readonly model: string | null;
  readonly stop: StopSignals;
}

export interface SplitResult {
  readonly spec_id: SpecId;
  readonly members: readonly SpecId[];
}

/** Every split that was made, and the members that could not be split. */
export interface SplitReport {
  readonly splits: readonly SplitResult[];
  readonly refused: readonly { readonly spec_id: SpecId; readonly reason: string }[];
}

/**
 * Splits a spec with an agent. Writes all members or none; the spec becomes their driver and keeps its status. With
 * `recursive`, also splits members that lint finds too large; reports a member that cannot be split and leaves it
 * whole.
 *
 * @throws OperationError when the spec itself cannot be split; nothing is changed then
 *
 * Source: docs/decisions.md#s-27.
 */
export async function splitSpec(deps: RunDeps, id: SpecId, wishes: SplitOptions): Promise<SplitReport> {
  const splits = [await splitOneSpec(deps, id, wishes)];
  const refused: { readonly spec_id: SpecId; readonly reason: string }[] = [];
  if (!wishes.recursive) return { splits, refused };
  let level = splits.flatMap(({ members }) => members);
  for (let depth = 2; depth <= wishes.maxDepth && level.length > 0; depth++) {
    const next: SpecId[] = [];
    for (const member of await findTooLargeSpecs(deps, level)) {
      if (wishes.stop.soon.aborted) return { splits, refused };
      try {
        const result = await splitOneSpec(deps, member, { ...wishes, force: false });
        splits.push(result);
        next.push(...result.members);
      } catch (error) {
        if (!(error instanceof OperationError)) throw error;
        refused.push({ spec_id: member, reason: error.message });
      }
    }
    level = next;
  }
  return { splits, refused };
}

async function findTooLargeSpecs({ context }: RunDeps, ids: readonly SpecId[]): Promise<readonly SpecId[]> {
  const { lint } = await context.readConfig();
  const specs = await Promise.all(ids.map((id) => context.specs.load(id)));
  return specs.filter((spec) => exceedsLintThreshold(spec, lint.thresholds)).map(({ id }) => id);
}

function exceedsLintThreshold(spec: Spec, thresholds: PlannerConfig["lint"]["thresholds"]): boolean {
  const facts = new SpecFacts(spec);
  return (
    facts.criteria.length > thresholds.complexity_criteria ||
    spec.targetFiles.length > thresholds.complexity_files ||
    facts.words > thresholds.complexity_words
  );
}

async function splitOneSpec(deps: RunDeps, id: SpecId, wishes: SplitOptions): Promise<SplitResult> {
  const { context, ports, pid } = deps;
  await refuseUnsplittableSpec(context, await context.specs.load(id), wishes.force);
  const provider = selectProvider(await context.readConfig(), { model: wishes.model, task: "split" });
  await refuseMissingAgent(context, provider, `split spec '${id}'`);
  const processId = `${id}-${pid}`;
  const claim = await claimSpec(deps, id, processId);
  try {
    const started_at = deps.announced?.started_at ?? context.clock.now().toISOString();
    await ports.records.startRecord({ process_id: processId, spec_id: id, pid, started_at, mode: "split" });
    let end: ProcessResult = { status: "failed", error: "the split broke off" };
    try {
      const answer = await requestMembers(deps, { processId, provider, claim, stop: wishes.stop });
      const members = await writeMembers(deps, id, { answer, force: wishes.force });
      end = { status: "completed" };
      return { spec_id: id, members };
    } catch (error) {
      end = { status: "failed", error: getErrorMessage(error) };
      throw error;
    } finally {
      await ports.records.finishRecord(processId, end, context.clock.now());
    }
  } finally {
    await claim.release();
  }
}

/** Writes the members; nothing if the spec can no longer be split or the agent's proposal is invalid. */
async function writeMembers(
  { context }: RunDeps,
  id: SpecId,
  { answer, force }: { readonly answer: string; readonly force: boolean },
): Promise<readonly SpecId[]> {
  const proposed = parseMembers(answer);
  const spec = await context.specs.load(id);
  await refuseUnsplittableSpec(context, spec, force);
  const members = buildMembers(spec, proposed);
  const ids = members.map((member) => member.id);
  await context.specs.createMembers(id, { members, fields: { type: "driver", members: ids } });
  return ids;
}

/**
 * Returns the files of a split spec's members, `<id>.1` to `<id>.<n>`. Each has an explicit dependency list, even an
 * empty one, so that independent members can be worked at the same time. Labels, model and prompt are the parent's.
 */
export function buildMembers(parent: Spec, members: readonly ProposedMember[]): NewMembers["members"] {
  return members.map((member, index) => {
    const id = buildMemberId(parent.id, index + 1);
    const depends_on = member.dependsOn.map((number) => buildMemberId(parent.id, number));
    const prompt = parent.frontmatter["prompt"];
    const text = buildSpecFile({
      id,
      title: member.title,
      body: buildMemberBody(member),
      type: parent.type === "driver" || parent.type === "group" ? "code" : parent.type,
      ...(typeof prompt === "string" ? { prompt } : {}),
      fields: {
        depends_on,
        labels: parent.labels,
        ...(member.targetFiles.length === 0 ? {} : { target_files: member.targetFiles }),
        ...(parent.model === null ? {} : { model: parent.model }),
      },
    });
    return { id, text };
  });
}

function buildMemberId(parent: SpecId, number: number): SpecId {
  return `${parent}.${number}` as SpecId;
}

// The first criteria section counts. A description that has one therefore follows the proposed criteria, under a
// heading that ends them. A code fence that the description leaves open would hide the following text.
function buildMemberBody({ description, criteria, checks }: ProposedMember): string {
  const fence = findMissingFence(description);
  const text = fence === undefined ? description : `${description}\n${fence}`;
  const formatItem = (criterion: string): string => {
    const check = checks.get(criterion);
    return check === undefined ? `- [ ] ${criterion}` : `- [ ] ${criterion}\n  verify: ${check}`;
  };
  const list = `## ${CRITERIA_SECTION}\n\n${criteria.map(formatItem).join("\n")}`;
  if (text === "") return list;
  if (findLastSection(text, CRITERIA_SECTION) !== undefined) return `${list}\n\n## Description\n\n${text}`;
  return `${text}\n\n${list}`;
}
