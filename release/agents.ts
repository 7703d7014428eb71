import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zip } from "./pack.ts";
import { programOf } from "./programs.ts";
import { downloadUrl, OUT, type Release, ROOT, WORK } from "./release.ts";
import { sha256 } from "./shell.ts";
import { programName, type Target } from "./targets.ts";

const MCPB_PLATFORM = { linux: "linux", darwin: "darwin", windows: "win32" } as const;

/** The two MCP servers in the executable. */
const SERVERS = [
  { name: "planner", words: ["mcp"], about: "Create, check, search and work specs (23 tools)" },
  { name: "planner-dc", words: ["dc", "mcp"], about: "Ask a datacenter inventory: failures, cables, cooling, fabric" },
] as const;

/** The package at npm, if it is ours. A bundle starts the first server only, so the second is found at npm alone. */
const OWNED_AT_NPM = [process.env["PLANNER_RELEASE_NPM"]].filter((name) => name !== undefined);

/** Writes the MCP bundles (`.mcpb`) of each platform and `server.json` for the MCP registry. */
export function writeAgentFiles(release: Release): void {
  for (const target of release.targets) if (target.libc !== "musl") writeBundle(release, target);
  for (const server of SERVERS.slice(0, 1 + OWNED_AT_NPM.length)) {
    const file = join(OUT, `${server.name}.server.json`);
    writeFileSync(file, `${JSON.stringify(registryEntry(release, server), null, 2)}\n`);
  }
}

const bundleName = ({ version }: Release, target: Target) => `planner-${version}-${target.name}.mcpb`;

function writeBundle(release: Release, target: Target): void {
  const folder = join(WORK, "agents", target.name);
  mkdirSync(folder, { recursive: true });
  cpSync(programOf(target), join(folder, programName(target)));
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const manifest = {
    manifest_version: "0.3",
    name: "planner",
    version: release.version,
    description: SERVERS[0].about,
    author: { name: "The planner authors" },
    license: "MIT",
    repository: { type: "git", url: release.repository },
    server: {
      type: "binary",
      entry_point: programName(target),
      mcp_config: {
        command: `\${__dirname}/${programName(target)}`,
        args: ["mcp", "--root", "$" + "{user_config.project}"],
      },
    },
    user_config: {
      project: {
        type: "directory",
        title: "Project",
        description: "Folder of the project that holds .planner/",
        required: true,
      },
    },
    compatibility: { platforms: [MCPB_PLATFORM[target.os]] },
  };
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  zip(folder, join(OUT, bundleName(release, target)), release.epoch, true);
}

/**
 * The MCP registry's entry of a server. Its package at npm is named only if PLANNER_RELEASE_NPM says that the name is
 * ours: the registry's readers would run whatever is published there.
 */
function registryEntry(release: Release, server: (typeof SERVERS)[number]): object {
  const owner = release.repository.replace(/^https:\/\/github\.com\//, "").split("/")[0] ?? "OWNER";
  const npm = OWNED_AT_NPM.map((identifier) => ({
    registryType: "npm",
    identifier,
    version: release.version,
    transport: { type: "stdio" },
    packageArguments: server.words.map((value) => ({ type: "positional", value })),
  }));
  const bundles = release.targets
    .filter(({ libc }) => libc !== "musl")
    .map((target) => {
      const file = bundleName(release, target);
      const fileSha256 = sha256(join(OUT, file));
      return { registryType: "mcpb", identifier: downloadUrl(release, file), fileSha256, transport: { type: "stdio" } };
    });
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: `io.github.${owner.toLowerCase()}/${server.name}`,
    description: server.about,
    version: release.version,
    repository: { url: release.repository, source: "github" },
    packages: server.name === "planner" ? [...npm, ...bundles] : npm,
  };
}
