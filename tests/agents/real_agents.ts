import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The CLI of an agent, as npm has it at one version. */
export interface RealAgent {
  /** Name of the provider that starts it. */
  readonly provider: string;
  readonly program: string;
  readonly source: string;
  readonly version: string;
  /** A first call that makes its database: two at once would both try, and one of them would fail. */
  readonly firstCall?: readonly string[];
  /** Writes its settings into a home of its own, and returns its environment: it then asks the model on this port. */
  settle(home: string, port: number): Readonly<Record<string, string>>;
}

export const REAL_AGENTS: readonly RealAgent[] = [
  {
    provider: "claude",
    program: "claude",
    source: "@anthropic-ai/claude-code",
    version: "2.1.330",
    settle: (_, port) => ({
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: "unused",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // Otherwise it repeats a refused request for minutes.
      CLAUDE_CODE_MAX_RETRIES: "1",
    }),
  },
  {
    provider: "codex",
    program: "codex",
    source: "@openai/codex",
    version: "0.169.0",
    settle(home, port) {
      write(
        join(home, ".codex", "config.toml"),
        [
          'model = "scripted"',
          'model_provider = "scripted"',
          "[model_providers.scripted]",
          'name = "scripted"',
          `base_url = "http://127.0.0.1:${port}/v1"`,
          'env_key = "OPENAI_API_KEY"',
          'wire_api = "responses"',
          "request_max_retries = 1",
          "stream_max_retries = 1",
          // The tests' projects are there.
          "[sandbox_workspace_write]",
          "exclude_slash_tmp = true",
          "",
        ].join("\n"),
      );
      return { OPENAI_API_KEY: "unused", CODEX_HOME: join(home, ".codex") };
    },
  },
  {
    provider: "gemini",
    program: "gemini",
    source: "@google/gemini-cli",
    version: "0.61.0",
    settle(home, port) {
      write(
        join(home, ".gemini", "settings.json"),
        JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
          privacy: { usageStatisticsEnabled: false },
          general: { disableAutoUpdate: true },
        }),
      );
      return { GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`, GEMINI_API_KEY: "unused" };
    },
  },
  {
    provider: "opencode",
    program: "opencode",
    source: "opencode-ai",
    version: "1.18.33",
    firstCall: ["opencode", "session", "list"],
    settle(home, port) {
      write(
        join(home, ".config", "opencode", "opencode.json"),
        JSON.stringify({
          $schema: "https://opencode.ai/config.json",
          model: "scripted/scripted",
          small_model: "scripted/scripted",
          autoupdate: false,
          share: "disabled",
          provider: {
            scripted: {
              npm: "@ai-sdk/openai-compatible",
              name: "scripted",
              options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "unused" },
              models: { scripted: { name: "scripted" } },
            },
          },
        }),
      );
      return {
        XDG_CONFIG_HOME: join(home, ".config"),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      };
    },
  },
  {
    provider: "qwen",
    program: "qwen",
    source: "@qwen-code/qwen-code",
    version: "0.24.4",
    settle(home, port) {
      write(
        join(home, ".qwen", "settings.json"),
        JSON.stringify({
          security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
          privacy: { usageStatisticsEnabled: false },
          general: { enableAutoUpdate: false },
        }),
      );
      return { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "unused", OPENAI_MODEL: "scripted" };
    },
  },
  {
    provider: "copilot",
    program: "copilot",
    source: "@github/copilot",
    version: "1.0.102",
    // Nothing but the model's service is asked for: no account of GitHub's is needed.
    settle: (_, port) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
      COPILOT_PROVIDER_API_KEY: "unused",
      COPILOT_MODEL: "gpt-4.1",
    }),
  },
];

/**
 * Installs the CLI at its pinned version into `~/.cache/planner-agents`, outside every project, unless it is there.
 *
 * @returns the folder of its program, or why there is none
 */
export function installed({
  source,
  version,
  program,
}: Pick<RealAgent, "source" | "version" | "program">): { readonly folder: string } | { readonly why: string } {
  const cache = process.env["PLANNER_AGENTS_CACHE"] ?? join(homedir(), ".cache", "planner-agents");
  const kept = join(cache, `${source.replace(/^@/, "").replace("/", "+")}@${version}`);
  const folder = join(kept, "node_modules", ".bin");
  if (existsSync(join(folder, program))) return { folder };
  if (process.env["CI"] !== undefined) return { why: `${source}@${version} is not in ${cache}` };
  const staged = `${kept}.${process.pid}`;
  mkdirSync(staged, { recursive: true });
  const { status, stderr } = spawnSync(
    "npm",
    ["install", "--prefix", staged, "--no-fund", "--no-audit", "--loglevel=error", `${source}@${version}`],
    { encoding: "utf8" },
  );
  if (status !== 0) {
    rmSync(staged, { recursive: true, force: true });
    return { why: `npm could not install ${source}@${version}: ${stderr.trim().split("\n")[0]}` };
  }
  rmSync(kept, { recursive: true, force: true });
  renameSync(staged, kept);
  return { folder };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
