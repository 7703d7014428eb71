import { createPreconditionError, getErrorMessage, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { findCycles, formatCycle } from "#planner/lint/cycles.ts";
import type { Claim } from "#planner/store/remote_claims/shared_claims.ts";
import type { NewMembers } from "#planner/store/specs/edit_spec.ts";
import type { ProcessResult } from "#planner/work/records/process_record.ts";
import type { PlannerConfig } from "../../config/config.ts";
import { SpecFacts } from "../../lint/finding.ts";
import { refuseMissingAgent } from "../../operations/shared/start_checks.ts";
import { refuseUnsplittableSpec } from "../../operations/work.ts";
import { extractJson } from "../../output/scan_json.ts";
import { CRITERIA_SECTION } from "../../spec/criteria.ts";
import { buildSpecFile } from "../../spec/new_spec.ts";
import { findLastSection, findMissingFence } from "../../spec/sections.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { joinLines } from "../../spec/text_lines.ts";
import { readPromptVariables } from "../../work/prompts/prompt.ts";
import {
  fillTemplate,
  loadTemplate,
  type PromptTemplate,
  SPLIT_ANSWER_FORMAT,
  SPLIT_PROMPT,
  SPLIT_PROMPT_NAME,
} from "../../work/prompts/prompt_template.ts";
import { explainExitStatus, type Provider, selectProvider } from "../../work/providers.ts";
import { claimSpec } from "../claims.ts";
import { buildRunLocation } from "../job.ts";
import { type AgentRunResult, buildPromptRequest, launchAgent } from "../run/run_agent.ts";
import type { AgentJob, RunDeps, StopSignals } from "../run_types.ts";

interface SplitOptions {
  readonly force: boolean;
  readonly recursive: boolean;
  /** Maximum number of levels, including the first split. */
  readonly maxDepth: number;
  /** Model to use instead of the configured one; null for the configured one. */
  readonly model: string | null;
  readonly stop: StopSignals;
}

interface SplitResult {
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

/**
 * Runs the agent in the project and returns its last message.
 *
 * @throws OperationError when the agent fails, is stopped, or loses the spec to another process
 */
async function requestMembers(
  deps: RunDeps,
  { processId, provider, claim, stop }: Pick<AgentJob, "processId" | "provider" | "stop"> & { readonly claim: Claim },
): Promise<string> {
  const { context, ports, root } = deps;
  const { id } = claim;
  const spec = await context.specs.load(id);
  const config = await context.readConfig();
  const text = await buildSplitPrompt(deps, id);
  const log = await ports.logs.open(id, processId, config.log.max_bytes);
  try {
    await log.line(`planner: ${provider.name} is asked how to split the spec`);
    const job = {
      id,
      processId,
      config,
      log,
      stop,
      place: buildRunLocation(root, null),
      spec,
      provider,
      session: null,
    };
    const stillWanted = (): Promise<boolean> => ports.records.isRunning(processId);
    const end = await launchAgent(deps, { job, claim, isStillWanted: stillWanted, prompt: { text } });
    if (!(await stillWanted())) throw buildSplitError(id, "it was ended from outside");
    assertAgentSucceeded(id, end, provider);
    return end.output;
  } catch (error) {
    if (error instanceof OperationError) await log.line(`planner: failed: ${error.message}`).catch(() => {});
    throw error;
  } finally {
    await log.end().catch(() => {});
  }
}

function assertAgentSucceeded(
  id: SpecId,
  { exit, failure, interrupted, claimed }: AgentRunResult,
  provider: Provider,
): void {
  if (!claimed) throw buildSplitError(id, "another process has taken the spec over");
  if (interrupted) throw buildSplitError(id, "interrupted before the agent was done");
  if (exit.code === null) throw buildSplitError(id, `the agent was ended by ${exit.signal ?? "a signal"}`);
  if (exit.code !== 0) {
    const meaning = explainExitStatus(provider, exit.code);
    throw buildSplitError(id, `the agent ended with status ${exit.code}${meaning === null ? "" : `: ${meaning}`}`);
  }
  if (failure !== null) throw buildSplitError(id, `the agent says: ${failure}`);
}

function buildSplitError(id: SpecId, why: string): OperationError {
  return createPreconditionError(`Failed to split spec '${id}': ${why}`);
}

/** Returns the project's split template, or the built-in one, followed by the required format of the answer. */
async function buildSplitPrompt(deps: RunDeps, id: SpecId): Promise<string> {
  const { context, root, tell } = deps;
  const { prompts } = context;
  const own = (await prompts.names()).includes(SPLIT_PROMPT_NAME);
  const template: PromptTemplate = own
    ? await loadTemplate(prompts, SPLIT_PROMPT_NAME)
    : { name: SPLIT_PROMPT_NAME, text: SPLIT_PROMPT };
  const job = { id, config: await context.readConfig(), place: buildRunLocation(root, null) };
  const values = await readPromptVariables(context, await buildPromptRequest(deps, job, null));
  const filled = fillTemplate(template, values);
  for (const message of filled.warnings) tell({ event: "note", spec_id: id, message });
  return `${filled.text.trim()}\n\n${SPLIT_ANSWER_FORMAT}`;
}

interface ProposedMember {
  readonly title: string;
  readonly description: string;
  /** Acceptance criteria of one line each; at least one. */
  readonly criteria: readonly string[];
  /** Commands of the checks that the agent proposes, by criterion. */
  readonly checks: ReadonlyMap<string, string>;
  readonly targetFiles: readonly string[];
  /** Numbers of other members, counted from 1, ascending, without duplicates and without cycles. */
  readonly dependsOn: readonly number[];
}

/** Maximum number of members of one split. Chosen by planner: a member can be split again. */
const MAX_MEMBERS = 50;

/**
 * Parses the members in an agent's answer: `{"members": [{title, description, acceptance_criteria, target_files,
 * depends_on}]}`. The JSON may be fenced, the whole answer, or embedded in text.
 *
 * @throws OperationError `failed_precondition` that names the member and its problem
 *
 * Source: docs/decisions.md#s-27.
 */
export function parseMembers(answer: string): readonly ProposedMember[] {
  const found = extractJson(answer);
  if (found === undefined) throw buildMembersError("it holds no JSON");
  const listed = isJsonObject(found.value) ? found.value["members"] : undefined;
  if (!Array.isArray(listed)) throw buildMembersError('expected an object with a list "members"');
  if (listed.length < 2 || listed.length > MAX_MEMBERS) {
    throw buildMembersError(`expected 2 to ${MAX_MEMBERS} members, got ${listed.length}`);
  }
  const members = listed.map((value: unknown, index) =>
    parseMember(value, { number: index + 1, count: listed.length }),
  );
  const cycles = findCycles(new Map(members.map(({ dependsOn }, at) => [String(at + 1), dependsOn.map(String)])));
  const circle = members.flatMap((_, at) => cycles.get(String(at + 1)) ?? [])[0];
  if (circle !== undefined) throw buildMembersError(`members depend on each other in a circle: ${formatCycle(circle)}`);
  return members;
}

interface MemberPosition {
  readonly number: number;
  readonly count: number;
}

function parseMember(value: unknown, place: MemberPosition): ProposedMember {
  if (!isJsonObject(value)) throw buildMembersError(`member ${place.number} is not an object`);
  const { criteria, checks } = parseCriteria(value, place);
  if (criteria.length === 0) throw buildMembersError(`member ${place.number} has no acceptance criteria`);
  return {
    title: joinLines(parseMemberText(value["title"], `title of member ${place.number}`)),
    description:
      value["description"] === undefined
        ? ""
        : parseMemberText(value["description"], `description of member ${place.number}`),
    ...{ criteria, checks },
    targetFiles: parseMemberTexts(value, "target_files", place),
    dependsOn: parseDependencies(value, place),
  };
}

/** Parses criteria, each of which is a text or an object with a text and its check. */
function parseCriteria(value: JsonFields, place: MemberPosition): Pick<ProposedMember, "criteria" | "checks"> {
  const list = value["acceptance_criteria"] ?? [];
  if (!Array.isArray(list)) throw buildMembersError(`"acceptance_criteria" of member ${place.number} is not a list`);
  const items = list.map((item: unknown) => (isJsonObject(item) ? item : { criterion: item }));
  const named = parseMemberTexts({ criteria: items.map(({ criterion }) => criterion) }, "criteria", place).map(
    removeCheckbox,
  );
  const checks = items.flatMap(({ criterion, verify }): readonly (readonly [string, string])[] => {
    if (typeof criterion !== "string" || verify === undefined || verify === null) return [];
    return [
      [removeCheckbox(joinLines(criterion)), joinLines(parseMemberText(verify, `"verify" of member ${place.number}`))],
    ];
  });
  return { criteria: [...new Set(named)], checks: new Map(checks) };
}

function parseMemberText(value: unknown, what: string): string {
  if (typeof value !== "string" || value.trim() === "") throw buildMembersError(`the ${what} is not a text`);
  if (value.includes("\0") || !value.isWellFormed()) throw buildMembersError(`the ${what} holds what no file can`);
  return value.trim();
}

function parseMemberTexts(object: JsonFields, name: string, { number }: MemberPosition): readonly string[] {
  const list = object[name] ?? [];
  if (!Array.isArray(list)) throw buildMembersError(`"${name}" of member ${number} is not a list`);
  return [...new Set(list.map((item: unknown) => joinLines(parseMemberText(item, `"${name}" of member ${number}`))))];
}

function parseDependencies(object: JsonFields, { number, count }: MemberPosition): readonly number[] {
  const list = object["depends_on"] ?? [];
  if (!Array.isArray(list)) throw buildMembersError(`"depends_on" of member ${number} is not a list`);
  for (const item of list as readonly unknown[]) {
    if (!Number.isInteger(item) || Number(item) < 1 || Number(item) > count) {
      throw buildMembersError(
        `member ${number} depends on ${JSON.stringify(item)}: expected a number from 1 to ${count}`,
      );
    }
    if (item === number) throw buildMembersError(`member ${number} depends on itself`);
  }
  return [...new Set(list as readonly number[])].sort((a, b) => a - b);
}

/** Removes a checkbox from a criterion, because agents often write it too. */
function removeCheckbox(text: string): string {
  const plain = text.replace(/^(?:[-*+]|\d{1,9}[.)])\s+(?=\[)|^[-*+]\s+/, "").replace(/^\[[ xX]\]\s*/, "");
  return plain === "" ? text : plain;
}

type JsonFields = Readonly<Record<string, unknown>>;

function buildMembersError(why: string): OperationError {
  return createPreconditionError(`Cannot read members from the agent's answer: ${why}`);
}
