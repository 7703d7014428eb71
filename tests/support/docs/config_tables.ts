import { describeSettings } from "#planner/config/describe_settings.ts";
import { linkPages } from "./linked_text.ts";

/** Settings below one of some keys, `lint schema`: what a value must be, the default and the effect. */
export function configTable(keys: string): string {
  const rows = describeSettings()
    .filter(({ path }) => keys.split(" ").includes(path.split(".")[0] ?? ""))
    .map(({ path, value, default: usual, effect }) => {
      const cells = [`\`${path}\``, value, shown(usual), linked(effect)];
      return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
    });
  return `| Key | Value | Default | Effect |\n| --- | --- | --- | --- |\n${rows.join("")}`;
}

function shown(value: unknown): string {
  if (value === null) return "";
  return `\`${Array.isArray(value) ? `[${value.join(", ")}]` : String(value)}\``;
}

/** Names of pages as links; braces, patterns and flags as code. */
export function linked(text: string): string {
  return linkPages(text).replace(/(?<=^|[ (])\.[a-z][\w./*<>-]*[\w*]|\{\w+\}|\{\{[\w.]+\}\}|<\w+>|--\w+/g, "`$&`");
}
