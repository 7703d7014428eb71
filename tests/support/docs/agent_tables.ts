import { AGENTS } from "#cli/init/agents.ts";
import type { ProviderRow } from "#planner/work/provider_row.ts";
import { PROVIDERS } from "#planner/work/providers.ts";

const WHERE: Readonly<Record<string, string>> = { stdin: "standard input", argument: "last argument", file: "a file" };

/** How each provider is started: command line, prompt, MCP server, and how its output is read. */
export function providersTable(): string {
  const rows = Object.entries(PROVIDERS).map(([name, row]) => {
    const started =
      row.program === null ? "what the configuration says" : code([row.program, ...row.args, ...row.lastArgs]);
    const cells = [`\`${name}\``, started, WHERE[row.promptVia], serverOf(row), `\`${row.stream}\``];
    return `| ${cells.join(" | ")} |\n`;
  });
  return `| Provider | Started as | Prompt | MCP server | Output read as |\n| --- | --- | --- | --- | --- |\n${rows.join("")}`;
}

function serverOf({ args, mcp, runFile, env }: ProviderRow): string {
  if (mcp?.kind === "project_file") return `\`${mcp.file.files[0]}\` in the worktree`;
  if (mcp?.kind === "arguments") return "arguments";
  if (args.some((arg) => arg.includes("{mcp_config}"))) return "a file of the run";
  return runFile === null
    ? "a file if an argument names `{mcp_config}`"
    : `a file of the run, \`${Object.keys(env)[0]}\``;
}

/** Arguments that restrict each provider to what a run needs, and those of `skip_permissions`. */
export function permissionsTable(): string {
  const rows = Object.entries(PROVIDERS).map(([name, row]) => {
    const guarded = row.guardedArgs({ task: "work", commands: [] });
    const ruled = row.runFile !== null && guarded.length === 0 ? "rules in the file of the run" : "its own settings";
    const cells = [
      `\`${name}\``,
      guarded.length === 0 ? ruled : code(guarded),
      row.skipArgs.length === 0 ? "nothing" : code(row.skipArgs),
    ];
    return `| ${cells.join(" | ")} |\n`;
  });
  return `| Provider | Restricted by | With \`skip_permissions\` |\n| --- | --- | --- |\n${rows.join("")}`;
}

/** A command line: files as `<file>`, the rules of what is allowed as `<rules>`. */
function code(words: readonly string[]): string {
  const shown = words.map((word) => word.replace("{dir}", "<worktree>").replace(/\{\w+\}/, "<file>"));
  const line = shown.join(" ").replace(/(--allow(?:ed)?-tools?[ =]|--settings ).*/, "$1<rules>");
  return `\`${line}\``;
}

/** The file and entry that `planner init` writes for each agent. */
export async function agentsTable(): Promise<string> {
  const rows = Object.entries(AGENTS).map(async ([name, { title, files, extend }]) => {
    const edit = await extend(files[0], "");
    if (edit.kind !== "added") throw new Error(`init writes nothing for ${name}`);
    const entry = files[0].endsWith(".toml")
      ? edit.text.trim().replaceAll("\n", "; ")
      : JSON.stringify(JSON.parse(edit.text));
    const named = files.map((file) => `\`${file}\``).join(", or an existing ");
    return `| ${name} | ${title} | ${named} | \`${entry}\` |\n`;
  });
  return `| Name | Agent | File | Entry |\n| --- | --- | --- | --- |\n${(await Promise.all(rows)).join("")}`;
}
