import { expect } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { verifies } from "../requirements/verifies.ts";
import { runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

verifies("cli.init.project", async () => {
  using project = tempProject();
  rmSync(join(project.root, ".planner"), { recursive: true });

  const { code } = await runPlanner(["init"], { cwd: project.root });
  const list = await runPlanner(["list", "--json"], { cwd: project.root });

  expect(code).toBe(0);
  expect(list.code).toBe(0);
  expect(JSON.parse(list.stdout)).toMatchObject({ specs: [], total: 0 });
});

verifies("cli.init.mcp-json", async () => {
  using project = tempProject();

  const { code } = await runPlanner(["init", "--agent", "claude"], { cwd: project.root });

  expect(code).toBe(0);
  expect(JSON.parse(project.read(".mcp.json"))).toEqual({
    mcpServers: { planner: { type: "stdio", command: "planner", args: ["mcp"], alwaysLoad: true } },
  });
});
