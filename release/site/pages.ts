import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../release.ts";

/** Parts of the site by what a reader comes for, with the documents of each in their order. A name with `/*` takes all others of the folder. */
const PARTS = {
  Tutorials: [
    "README.md",
    "docs/README.md",
    "docs/tutorials/specs.md",
    "docs/tutorials/day.md",
    "docs/tutorials/datacenter.md",
  ],
  "How to": [
    ...[
      "docs/install.md",
      "docs/deno.md",
      "docs/work.md",
      "docs/board.md",
      "docs/pr.md",
      "docs/claims.md",
      "docs/prompts.md",
    ],
    ...["docs/editors.md", "docs/mcp.md", "docs/import/tasks.md", "docs/import/*"],
    ...["docs/deploy/README.md", "docs/operations.md", "docs/windows.md", "docs/rehearsal.md", "docs/placement.md"],
    ...["docs/readings.md", "docs/notices.md", "docs/monitoring/README.md", "docs/monitoring/*"],
  ],
  Reference: [
    ...["docs/commands.md", "docs/cli.md", "docs/tools.md", "docs/config.md", "docs/lint.md", "docs/output-schemas.md"],
    ...[
      "docs/providers.md",
      "docs/datacenter.md",
      "docs/rpcs.md",
      "docs/console.md",
      "docs/power.md",
      "docs/answers.md",
    ],
    ...["docs/capacity.md", "docs/schema.md", "docs/contract/README.md", "docs/contract/*", "docs/versioning.md"],
    ...["docs/*", "CHANGELOG.md"],
  ],
  Explanation: [
    ...["docs/architecture.md", "docs/decisions.md", "docs/glossary.md", "docs/performance.md", "docs/evidence.md"],
    ...["docs/dependencies.md", "docs/guides/README.md", "docs/guides/*", "docs/release.md", "CONTRIBUTING.md"],
    ...["SECURITY.md", "CODE_OF_CONDUCT.md"],
  ],
} as const;

export interface SitePage {
  readonly part: string;
  /** Path of the document from the repository's root. */
  readonly source: string;
  /** Path of the page from the site's root. */
  readonly target: string;
  readonly title: string;
  readonly text: string;
}

/** Path of a document's page: a README is the start of its folder. */
export const targetOf = (source: string): string =>
  source.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html");

/**
 * Every page in the order of the site.
 *
 * @throws Error for a document below `docs` that no part has
 */
export function readPages(): readonly SitePage[] {
  const git = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "docs/*.md"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const rest = new Set(git.stdout.split("\n").filter((path) => path !== "" && existsSync(join(ROOT, path))));
  const named = new Set<string>(Object.values(PARTS).flat());
  const pages = Object.entries(PARTS).flatMap(([part, names]) =>
    names.flatMap((name) => matching(name, rest, named)).map((source) => pageOf(part, source)),
  );
  const missing = [...rest].filter((path) => pages.every(({ source }) => source !== path));
  if (missing.length > 0) throw new Error(`release/site/pages.ts has no place for ${missing.join(", ")}`);
  return pages;
}

function matching(name: string, documents: ReadonlySet<string>, named: ReadonlySet<string>): readonly string[] {
  if (!name.endsWith("/*")) return [name];
  const folder = name.slice(0, -1);
  const isIn = (path: string) => path.startsWith(folder) && !path.slice(folder.length).includes("/");
  return [...documents].filter((path) => isIn(path) && !named.has(path)).toSorted();
}

function pageOf(part: string, source: string): SitePage {
  const text = readFileSync(join(ROOT, source), "utf8");
  const title = source === "README.md" ? "Start" : (/^# (.+)$/m.exec(text)?.[1] ?? source).replaceAll("`", "");
  return { part, source, target: targetOf(source), title, text };
}
