import type { TSchema } from "@sinclair/typebox";
import { tools } from "#planner/operations/index.ts";
import { linkedText } from "./linked_text.ts";

/** Parts of docs/tools.md. @param names of tools */
export function toolParts(names: string): string {
  return names.split(" ").map(toolPart).join("\n\n");
}

/** A tool's description and parameters, as agents read them, and what it answers. */
function toolPart(name: string): string {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool is called ${name}`);
  const rows = Object.entries(tool.params.properties).map(([parameter, schema]) => {
    const required = tool.params.required?.includes(parameter) === true;
    return `| \`${parameter}\` | ${typeOf(schema)}${required ? ", required" : ""} | ${meaningOf(schema)} |\n`;
  });
  const table =
    rows.length === 0 ? "No parameters." : `| Parameter | Type | Meaning |\n| --- | --- | --- |\n${rows.join("")}`;
  return `### ${name}\n\n${tool.summary}\n\n${table.trimEnd()}\n\n${linkedText(tool.resultDescription ?? "")}`;
}

function typeOf(schema: TSchema): string {
  return schema["items"] === undefined ? schema["type"] : `array of ${(schema["items"] as TSchema)["type"]}`;
}

function meaningOf({ description = "", default: usual, ...schema }: TSchema): string {
  const values: readonly string[] = schema["enum"] ?? [];
  const parts = [
    ...(description === "" ? [] : [description]),
    ...(values.length === 0 ? [] : [`one of ${values.join(", ")}`]),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ];
  return parts.join("; ").replaceAll("|", "\\|");
}
