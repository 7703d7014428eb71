import { createPreconditionError, type OperationError } from "#kernel/errors.ts";
import {
  type PlannerConfig,
  PROVIDER_NAMES,
  type PromptChannel,
  type ProviderSettings,
  type StreamKind,
} from "../config/config.ts";
import type { ProviderRow } from "./provider_row.ts";
import { PROVIDERS } from "./provider_rows.ts";

/** The agent of one run: its row with the configuration applied, and the model. */
export interface Provider {
  readonly name: string;
  readonly row: ProviderRow;
  readonly program: string;
  /** Configured arguments, which follow the row's own. */
  readonly extraArgs: readonly string[];
  readonly promptVia: PromptChannel;
  readonly stream: StreamKind;
  readonly env: Readonly<Record<string, string>>;
  readonly skipsPermissions: boolean;
  readonly model: string | null;
}

export interface ModelRequest {
  /** Model named by the spec or a split's caller, which overrides the configuration; null for the configured one. */
  readonly model: string | null;
  readonly task: "work" | "split";
}

/**
 * Returns the agent that the configuration selects, with the model for this task.
 *
 * @throws OperationError `failed_precondition` if no program is named, if the model's name is invalid, or if the
 *   configured arguments skip permissions although `skip_permissions` is not set
 */
export function selectProvider(config: PlannerConfig, request: ModelRequest): Provider {
  const name = config.defaults.provider;
  const row = findProviderRow(name);
  const settings: ProviderSettings = Object.hasOwn(config.providers, name) ? (config.providers[name] ?? {}) : {};
  const program = settings.command ?? row.program;
  if (program === null) {
    throw buildProviderError(name, `"providers.${name}.command" in .planner/config.md names no program`);
  }
  const extraArgs = settings.args ?? [];
  const skipsPermissions = settings.skip_permissions ?? false;
  // `--flag=value` and `key="value"` contain two words each.
  const skippingArgument = skipsPermissions
    ? undefined
    : extraArgs.find((argument) => argument.split(/[="']+/).some((word) => row.skipWords.includes(word)));
  if (skippingArgument !== undefined) {
    throw buildProviderError(
      name,
      `argument "${skippingArgument}" skips permissions: expected "skip_permissions: true" beside it`,
    );
  }
  return {
    name,
    row,
    program,
    extraArgs,
    promptVia:
      settings.prompt_via ?? (extraArgs.some((each) => each.includes("{prompt_file}")) ? "file" : row.promptVia),
    stream: settings.stream ?? row.stream,
    env: settings.env ?? {},
    skipsPermissions,
    model: chooseModel(config, name, request),
  };
}

/** Returns the special meaning of an agent's exit status; null if it has none. */
export function explainExitStatus({ row }: Provider, code: number): string | null {
  return row.exitMeanings[code] ?? null;
}

/** Returns the row of a provider. Agents that exist only in the configuration use the row `command`. */
export function findProviderRow(name: string): ProviderRow {
  const known = PROVIDER_NAMES.find((each) => each === name);
  return PROVIDERS[known ?? "command"];
}

function chooseModel({ defaults }: PlannerConfig, name: string, { model, task }: ModelRequest): string | null {
  const chosen = model ?? (task === "split" ? defaults.split_model : null) ?? defaults.model;
  // A spec's text must not become a flag of the agent, nor a command if the settings start the agent in a shell.
  if (chosen !== null && !/^[\p{L}\p{N}_.:/@+[\]][\p{L}\p{N}_.:/@+=,[\]-]*$/u.test(chosen)) {
    throw buildProviderError(
      name,
      `model "${chosen}" is not a model's name: expected one word of letters, digits and _.:/@+=,[]- that begins with no dash`,
    );
  }
  return chosen;
}

function buildProviderError(name: string, why: string): OperationError {
  return createPreconditionError(`Cannot start the agent "${name}": ${why}`);
}
