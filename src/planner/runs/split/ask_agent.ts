import { OperationError } from "#kernel/errors.ts";
import type { Claim } from "#planner/run_ports/claims.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { readPromptVariables } from "../../work/prompts/prompt.ts";
import { fillTemplate, loadTemplate, type PromptTemplate } from "../../work/prompts/prompt_template.ts";
import { SPLIT_ANSWER_FORMAT, SPLIT_PROMPT, SPLIT_PROMPT_NAME } from "../../work/prompts/standard_prompt.ts";
import { explainExitStatus, type Provider } from "../../work/providers.ts";
import { buildRunLocation } from "../job.ts";
import { buildPromptRequest, launchAgent } from "../run/launch_agent.ts";
import type { AgentRunResult } from "../run/run_agent.ts";
import type { AgentJob, RunDeps } from "../run_types.ts";

/**
 * Runs the agent in the project and returns its last message.
 *
 * @throws OperationError when the agent fails, is stopped, or loses the spec to another process
 */
export async function requestMembers(
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
  return new OperationError("failed_precondition", `Failed to split spec '${id}': ${why}`);
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
