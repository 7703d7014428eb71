import type { PlannerConfig } from "#planner/config/config.ts";
import type { PlannerContext } from "#planner/context.ts";
import { MAX_SPEC_BYTES } from "#planner/limits.ts";
import { createLintReport, type Finding, type LintReport } from "#planner/lint/finding.ts";
import { checkSpecOutput, type LintSource, lintProject, parseSpec } from "#planner/lint/lint_project.ts";
import type { Spec, UnreadableFile } from "#planner/spec/spec.ts";
import { compareSpecIds, type SpecId } from "#planner/spec/spec_id.ts";
import { decodeText, describeTooLarge } from "#planner/store/files/read_text.ts";
import type { Git } from "#planner/store/git/git.ts";
import { requireRepository } from "../git/repository.ts";
import {
  BlobReader,
  findSpecsMentioning,
  type IndexEntry,
  type ProjectIndex,
  readProjectIndex,
  readStagedIds,
} from "../git/staged_files.ts";

/**
 * Lints the next commit: the specs that it adds or changes, and other specs that depend on a spec that it removes.
 * Source: docs/decisions.md#s-15.
 * @throws OperationError `failed_precondition` outside a git repository
 */
export async function lintStaged(context: PlannerContext, root: string): Promise<LintReport> {
  const repository = await requireRepository(root);
  const [index, { changed, removed }] = await Promise.all([readProjectIndex(repository), readStagedIds(repository)]);
  const gone = removed.filter((id) => !index.archivedIds.has(id) && !index.specs.has(id));
  const own = new Set(changed);
  const others = (await findSpecsMentioning(repository, gone)).filter((id) => !own.has(id) && index.specs.has(id));
  if (own.size + others.length === 0) return createLintReport(0, []);
  const source = await createStagedSource(context, index, repository.git);
  try {
    const report = await lintProject(source, { ids: [...own, ...others] });
    return createLintReport(
      report.specsChecked,
      report.files.map((file) =>
        own.has(file.specId as SpecId)
          ? file
          : { ...file, findings: file.findings.filter((finding) => mentionsMissingSpec(finding, gone)) },
      ),
    );
  } finally {
    source.close();
  }
}

function mentionsMissingSpec({ rule, message }: Finding, ids: readonly SpecId[]): boolean {
  return rule === "dependency" && ids.some((id) => message.includes(`'${id}' does not exist`));
}

/** A lint source that reads git's index; `close` ends the process that reads it. */
interface StagedSource extends LintSource {
  close(): void;
}

/** Creates a source that reads specs and configuration from git's index, and logs and output schemas from the disk. */
async function createStagedSource(context: PlannerContext, index: ProjectIndex, git: Git): Promise<StagedSource> {
  const blobs = new BlobReader(await git.prepare(["cat-file", "--batch"]));
  const readSpec = async (id: SpecId): Promise<Spec | UnreadableFile> => {
    const entry = index.specs.get(id);
    if (entry === undefined) throw new Error(`No spec "${id}" in the index`);
    const { file } = entry;
    const text = await readBlobText(entry, blobs);
    return text.ok ? parseSpec(id, file, text.text) : { file, ...text };
  };
  try {
    return {
      config: await readStagedConfig(context, index.config, blobs),
      ids: [...index.specs.keys()].sort(compareSpecIds),
      archivedIds: index.archivedIds,
      loadSpec: readSpec,
      async loadAll() {
        const found = await Promise.all([...index.specs.keys()].map(readSpec));
        return {
          specs: found.filter((each): each is Spec => "id" in each),
          unreadable: found.filter((each): each is UnreadableFile => !("id" in each)),
        };
      },
      async text(id) {
        const entry = index.specs.get(id);
        const text = entry === undefined ? undefined : await readBlobText(entry, blobs);
        return text?.ok === true ? text.text : "";
      },
      checkOutput: (spec) => checkSpecOutput(context, spec),
      close: () => blobs.close(),
    };
  } catch (error) {
    blobs.close();
    throw error;
  }
}

type StagedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly line: number | null; readonly column: number | null; readonly message: string };

async function readBlobText({ hash, isFile }: IndexEntry, blobs: BlobReader): Promise<StagedText> {
  const nowhere = { ok: false, line: null, column: null } as const;
  if (!isFile) return { ...nowhere, message: "Link or submodule is not read: expected a regular file" };
  const content = await blobs.readBlob(hash);
  return content.length > MAX_SPEC_BYTES
    ? { ...nowhere, message: describeTooLarge(content.length) }
    : decodeText(content);
}

async function readStagedConfig(
  context: PlannerContext,
  entry: IndexEntry | undefined,
  blobs: BlobReader,
): Promise<PlannerConfig> {
  if (entry === undefined || !entry.isFile) return context.readConfig();
  const { parseConfig } = await import("#planner/config/check_config.ts");
  return parseConfig((await blobs.readBlob(entry.hash)).toString()).config;
}
