import { OperationError } from "#kernel/errors.ts";
import { findNearest } from "#kernel/nearest.ts";
import type { ConfigProblem } from "#planner/config/check_config.ts";
import { CONFIG_FILE } from "#planner/config/config.ts";
import { booleanFlag, JSON_FLAG, optionalArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { checkProjectConfig, findConfigWarnings } from "../../lint/config_warnings.ts";
import type { OpenedProject } from "../../open_project.ts";
import { print, printJson, sanitizeLines } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";

export const command = defineCommand({
  meta: { name: "config", description: "Show the settings: .planner/config.md merged with the defaults" },
  details:
    "--validate reports problems of the file instead and exits with 1 if one is an error. An unknown key is a warning.",
  args: {
    key: optionalArgument("Path of one setting, such as lint.thresholds"),
    validate: booleanFlag("Check the file", { excludes: ["<key>", "--explain"] }),
    explain: booleanFlag("Print value, default and effect of each setting, or of those below the key"),
    json: JSON_FLAG,
  },
  examples: {
    "planner config": "Show all settings",
    "planner config schema.spec.fields.status.enum --json": "Show the allowed statuses",
    "planner config --validate": "Check the file",
    "planner config watch --explain": "Say what the settings of watch do",
  },
  async run({ args: { key, validate, explain, json }, cli }) {
    if (explain) return explainSettings(key, json);
    const project = await cli.openProject();
    if (validate) return reportConfigProblems(project, json);
    const value = getSettingValue(await project.context.readConfig(), key);
    for (const warning of await findConfigWarnings(project)) cli.warn(warning);
    if (json) printJson(value);
    else print(sanitizeLines((await import("yaml")).stringify(value, { lineWidth: 0 })));
    return EXIT_STATUS.ok;
  },
});

async function reportConfigProblems(project: OpenedProject, json: boolean): Promise<ExitStatus> {
  const { errors, warnings } = await checkProjectConfig(project);
  if (json) printJson({ valid: errors.length === 0, errors, warnings });
  else {
    const lines = [
      ...errors.map((problem) => formatConfigProblem("error", problem)),
      ...warnings.map((problem) => formatConfigProblem("warning", problem)),
    ];
    printText(sanitizeLines([...lines, `${errors.length} errors, ${warnings.length} warnings`, ""].join("\n")));
  }
  return errors.length === 0 ? EXIT_STATUS.ok : EXIT_STATUS.refused;
}

async function explainSettings(key: string | undefined, json: boolean): Promise<ExitStatus> {
  const { describeSettings } = await import("#planner/config/describe_settings.ts");
  const all = describeSettings();
  const shown = all.filter(({ path }) => key === undefined || path === key || path.startsWith(`${key}.`));
  if (shown.length === 0) {
    const near = findNearest(
      key ?? "",
      all.map(({ path }) => path),
    );
    const hint = near === undefined ? '"planner config --explain" lists all' : `did you mean "${near}"?`;
    throw new OperationError("not_found", `No setting "${key}": ${hint}`);
  }
  if (json) printJson(shown);
  else {
    const texts = shown.map(
      ({ path, value, default: usual, effect }) =>
        `${path}: ${value}${usual === null ? "" : `, by default ${JSON.stringify(usual)}`}\n  ${effect}\n`,
    );
    printText(sanitizeLines(texts.join("")));
  }
  return EXIT_STATUS.ok;
}

function formatConfigProblem(severity: string, { line: at, column, message }: ConfigProblem): string {
  return `${CONFIG_FILE}:${at}:${column}: ${severity}: ${message}`;
}

function getSettingValue(config: unknown, key: string | undefined): unknown {
  let value = config;
  for (const step of key?.split(".") ?? []) {
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (!keys.includes(step)) {
      const near = findNearest(step, keys);
      const hint = near === undefined ? `expected one of ${keys.join(", ") || "none"}` : `did you mean "${near}"?`;
      throw new OperationError("not_found", `No setting "${key}": ${hint}`);
    }
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
