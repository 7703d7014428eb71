import { SERVICES } from "#dc/operations/index.ts";
import { ALLOWED_ROLES } from "#dc/service.ts";
import { datacenterTools, formatToolName, planningTools } from "#interfaces/dc_mcp/tool_set.ts";
import { findRootFieldName } from "#interfaces/graphql/schema.ts";

const TOOLS = new Set([...datacenterTools, ...planningTools].map(({ name }) => name));

/** Every RPC with the roles that may call it, its field in GraphQL and its tool for agents. */
export function rpcIndex(): string {
  return SERVICES.map(({ service, rpcs }) => {
    const rows = rpcs.map(({ method, effect }) => {
      const tool = formatToolName(method);
      const cells = [
        `[${method.name}](#${method.name.toLowerCase()})`,
        ALLOWED_ROLES[effect].join(", "),
        `\`${findRootFieldName(method)}\``,
        TOOLS.has(tool) ? `\`${tool}\`` : "",
      ];
      return `| ${cells.join(" | ")} |\n`;
    });
    return `\`${service.typeName}\`:\n\n| RPC | Roles | GraphQL | Tool |\n| --- | --- | --- | --- |\n${rows.join("")}`;
  }).join("\n");
}
