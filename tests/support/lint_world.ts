import { DEFAULT_CONFIG, type PlannerConfig, type RuleName } from "#planner/config/config.ts";
import type { Finding, LintReport } from "#planner/lint/finding.ts";
import { type LintSource, lintProject, parseSpec } from "#planner/lint/lint_project.ts";
import type { Spec, UnreadableFile } from "#planner/spec/spec.ts";
import { compareSpecIds, type SpecId } from "#planner/spec/spec_id.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";

/** The spec that most tests are about. */
export const ID = "2026-11-21-001-abc";
/** Specs beside it. */
export const OTHER = "2026-11-21-002-def";
export const THIRD = "2026-11-21-003-ghi";

export interface LintWorldOptions {
  readonly config?: PlannerConfig;
  readonly archived?: readonly string[];
  readonly outputs?: Readonly<Record<string, OutputVerdict>>;
}

/** A project that exists in memory only: spec texts by id. */
export function memorySource(texts: Readonly<Record<string, string>>, options: LintWorldOptions = {}): LintSource {
  const ids = (Object.keys(texts) as SpecId[]).sort(compareSpecIds);
  const read = (id: SpecId): Spec | UnreadableFile => parseSpec(id, `.planner/specs/${id}.md`, texts[id] ?? "");
  return {
    config: options.config ?? DEFAULT_CONFIG,
    ids,
    archivedIds: new Set(options.archived ?? []),
    async loadAll() {
      const found = ids.map(read);
      return {
        specs: found.filter((each): each is Spec => "id" in each),
        unreadable: found.filter((each): each is UnreadableFile => !("id" in each)),
      };
    },
    loadSpec: async (id) => read(id),
    text: async (id) => texts[id] ?? "",
    checkOutput: async ({ id }) => options.outputs?.[id] ?? null,
  };
}

export function lintTexts(texts: Readonly<Record<string, string>>, options?: LintWorldOptions): Promise<LintReport> {
  return lintProject(memorySource(texts, options));
}

/** What one rule says about the spec `ID`. */
export async function findingsOf(
  rule: RuleName,
  texts: Readonly<Record<string, string>>,
  options?: LintWorldOptions,
): Promise<readonly Finding[]> {
  const { files } = await lintTexts(texts, options);
  return (files.find(({ specId }) => specId === ID)?.findings ?? []).filter((finding) => finding.rule === rule);
}

/** `findingsOf` as `severity: message` lines. */
export async function said(
  rule: RuleName,
  text: string,
  options?: LintWorldOptions & { readonly others?: Readonly<Record<string, string>> },
): Promise<readonly string[]> {
  const findings = await findingsOf(rule, { [ID]: text, ...options?.others }, options);
  return findings.map(({ severity, message }) => `${severity}: ${message}`);
}

/** A spec's text from its frontmatter lines and its body. */
export function specText(frontmatter: string, body = "# Title\n"): string {
  return `---\n${frontmatter}\n---\n\n${body}`;
}
